import type { MemoryMedium } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ok, personOf, system } from "./support/people.ts";
import { call, createStory, edit, rename, type Story, synced } from "./support/restored.ts";
import { createWorld, credentials } from "./support/world.ts";

const other = { ...credentials, clientId: "other" };

describe("what a server accepted and lost of somebody whose number is another one's by now", () => {
  let story: Story;
  let empty: MemoryMedium;

  beforeEach(async () => {
    empty = (await createWorld()).medium;
    story = await createStory();
  });

  /** Another person has the tablet while the server is restored, and registers somebody under the number; then they hand it back. */
  async function handedBack(value: string, name: { family: string; given: string }): Promise<void> {
    await ok(story.a.client.signIn(other));
    await synced(story.a);
    await story.goBack(empty);
    await ok(story.now.view.individuals.create(personOf(value, name)));
    await ok(story.a.client.signIn(credentials));
  }

  it("is not written into that one's record", async () => {
    await edit(story.a, call("ANAS-PHONE"));
    await synced(story.a);
    await handedBack("ANA", { family: "Santos", given: "Pedro" });
    for (let times = 0; times < 2; times++) await story.a.client.sync();
    expect(await story.told()).toEqual(["Santos"]);
    expect(story.a.client.status.current.awaitingConsent).toMatchObject({ records: 1 });
  });

  it("is given to the record of the same person, renamed on this tablet since", async () => {
    await edit(story.a, rename("Reyes"));
    await edit(story.a, call("1"));
    await synced(story.a);
    await handedBack("ANA", { family: "Cruz", given: "Ana" });
    for (let times = 0; times < 2; times++) await story.a.client.sync();
    expect(await story.told()).toEqual(["Reyes 1"]);
  });

  it("waits for a person with the record, where that was made here", async () => {
    const identifier = [
      { system, value: "CARD" },
      { system: "urn:service:registrant", value: "0192aaaa-0000-7000-8000-000000000001" },
    ];
    const { reference } = await ok(
      story.a.client.individuals.create({ identifier, name: { family: "Neu", given: "N" } }),
    );
    await synced(story.a);
    await edit(story.a, call("NEUS-PHONE"), reference);
    await synced(story.a);
    await handedBack("CARD", { family: "Santos", given: "Pedro" });
    expect(await story.a.client.sync()).toMatchObject({ pending: 0, parked: 1 });
    expect(await story.told()).toEqual(["Santos"]);
    expect(await story.a.client.parked()).toMatchObject([
      { reason: "duplicate", ours: { name: { family: "Neu" }, telecom: [{ value: "NEUS-PHONE" }] } },
    ]);
  });
});
