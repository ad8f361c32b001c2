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

describe("somebody whom a tablet registered by a number, and the office registers again after the restore", () => {
  const identifier = [{ system, value: "N3" }];
  const n3 = { identifier, name: { family: "Reyes", given: "Nina" } };
  const phone = (value: string) => ({ telecom: [{ system: "phone" as const, value }] });
  const cases = [
    { name: "at once", isHandedBack: false },
    { name: "by whom the tablet is handed back", isHandedBack: true },
  ];

  /** What the office says of who it is, and whether another person has the tablet meanwhile. */
  async function registeredAgain(again: object, isHandedBack: boolean): Promise<Story> {
    const empty = (await createWorld()).medium;
    const story = await createStory();
    const made = { ...n3, ...phone("1"), birthDateEstimated: true, birthDate: "1980-01-04" } as const;
    await ok(story.a.client.individuals.create(made));
    await synced(story.a);
    if (isHandedBack) {
      await ok(story.a.client.signIn(other));
      await synced(story.a);
    }
    await story.goBack(empty);
    await ok(story.now.view.individuals.create({ type: "Individual", ...n3, ...again }));
    if (isHandedBack) {
      await ok(story.a.client.signIn(other));
      await synced(story.a);
    }
    await ok(story.a.client.signIn(credentials));
    for (let times = 0; times < 2; times++) await story.a.client.sync();
    return story;
  }

  it.each(cases)("gets what was said here beside what the office says, $name", async ({ isHandedBack }) => {
    const story = await registeredAgain(phone("2"), isHandedBack);
    expect(story.a.client.status.current).toMatchObject({ pending: 0, parked: 0 });
    expect(await ok(story.now.view.individuals.read(`${system}|N3`))).toMatchObject({
      birthDate: "1980-01-04",
      telecom: [{ value: "2" }, { value: "1" }],
    });
  });

  it.each(cases)("waits for a person where both say something else, $name", async ({ isHandedBack }) => {
    const { a } = await registeredAgain({ birthDateEstimated: false, birthDate: "1980-01-04" }, isHandedBack);
    expect(await a.client.parked()).toMatchObject([
      { reason: "conflict", conflicts: [{ path: "/birthDateEstimated", ours: true, theirs: false }] },
    ]);
  });
});
