import type { Fetch, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const system = "urn:test:national";
const reference = `Individual/${system}|ANA`;
const person = (more: object = {}) => ({
  identifier: [{ system, value: "ANA" }],
  name: { family: "Cruz", given: "Ana" },
  ...more,
});

/** A household that the server told of while this device knew its member under another key, or not at all. */
describe("the household of somebody who was registered here as well", () => {
  let world: World;
  let client: FieldClient;
  let trouble: "lost" | "busy" | null;

  beforeEach(async () => {
    world = await createWorld();
    trouble = null;
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const isWrite = init.method !== "GET" && !url.endsWith("/token");
        if (isWrite && trouble === "busy") return new Response("busy", { status: 500 });
        const answer = await send(url, init);
        if (isWrite && trouble === "lost") throw new TypeError("connection reset");
        return answer;
      };
    client = world.device("b", { network }).client;
    await ok(client.signIn(credentials));
    await client.sync();
  });

  async function isShown(group: string) {
    expect(client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    const there = await ok(world.view.individuals.read(`${system}|ANA`));
    const here = await ok(client.individuals.read(reference));
    expect(here.record.groupMembership).toEqual(there.groupMembership);
    const found = await ok(client.individuals.search({ group: group.slice("Group/".length) }));
    expect(found.data.map((one) => one.reference)).toEqual([reference]);
    expect((await ok(client.groups.search({ member: reference }))).data).toHaveLength(1);
  }

  it.each(["adopt", "discard"] as const)("is shown with them once a person decided: %s", async (kind) => {
    const other = world.device("a").client;
    await ok(other.signIn(credentials));
    await other.sync();
    const members = [{ individual: person(), role: "head" }];
    const { group } = await ok(
      other.registerHousehold({ group: { groupType: "household", name: "Cruz" }, members }),
    );
    const twin = await ok(client.individuals.create(person({ birthDate: "1980-01-01" })));
    await other.sync();
    await client.sync();
    const [parked] = await client.parked();
    expect(parked).toMatchObject({ reason: "duplicate" });
    const { revision = "" } = parked ?? {};
    await ok(client.resolve(twin.reference, kind === "adopt" ? { kind, revision } : { kind }));
    for (let run = 0; run < 2; run++) await client.sync();
    await isShown(group.reference);
  });

  it("is shown with them where the answer to their registration was lost", async () => {
    await ok(client.individuals.create(person()));
    trouble = "lost";
    await client.sync();
    const member = [{ entity: { reference } }];
    const group = {
      type: "Group",
      identifier: [{ system, value: "H" }],
      groupType: "household",
      name: "Cruz",
    };
    await ok(world.view.groups.create({ ...group, member }));
    // What the feed tells comes before the answer, at last.
    trouble = "busy";
    await client.sync();
    trouble = null;
    for (let run = 0; run < 2; run++) await client.sync();
    await isShown(`Group/${system}|H`);
  });
});
