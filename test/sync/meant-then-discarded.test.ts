import type { Group, Individual, RegistryView } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { createGuest } from "./support/guest.ts";
import { ok, system } from "./support/people.ts";
import { createWorld, type DeviceOptions, partner } from "./support/world.ts";

type Terms = Parameters<RegistryView["consents"]["grant"]>[0];
const everything = [{ resourceType: "all", fieldAccess: "all" }];
const aid = { organization: "Aid" };
const reference = (value: string) => `Individual/${system}|${value}`;

describe("a household that waits for consents", () => {
  /** Once, whoever was in it and left this device with her correction came back as another one, and the household never went out. */
  it.each([
    { when: "as soon as it is refused", hours: 5 },
    { when: "once she has left", hours: 30 },
  ])("goes out though a member's correction is given up $when", async ({ hours }) => {
    const { client, world, sync } = await createGuest();
    const consent = (value: string) => {
      const terms = { subject: { reference: reference(value) }, grantee: aid, scope: everything };
      return ok(world.view.consents.grant(terms as Terms));
    };
    const identified = (value: string) => ({ identifier: [{ system, value }] });
    await ok(
      client.registerHousehold({
        group: { ...identified("H"), groupType: "household", name: "Home" } as Group,
        members: ["A", "B"].map((value, nth) => ({
          individual: { ...identified(value), name: { family: value } } as Individual,
          role: nth === 0 ? "head" : "spouse",
        })),
      } as Parameters<typeof client.registerHousehold>[0]),
    );
    await sync();
    await consent("B");
    await ok(
      client.individuals.update(reference("A"), (draft) => {
        draft.birthDate = "1980-01-01";
      }),
    );
    await sync(4, hours);
    const decide = async (of: string, kind: "retry" | "discard") => {
      for (const each of await client.parked())
        if (each.reference.endsWith(of))
          await ok(client.resolve(each.reference, { kind, revision: each.revision }));
    };
    await decide("|A", "discard");
    await decide("|H", "retry");
    await sync(2, 26);
    await consent("A");
    await sync(2, 26);
    await decide("|H", "retry");
    await sync(2, 26);
    const { member } = await ok(world.view.groups.read(`${system}|H`));
    expect(member?.map(({ entity }) => entity.reference)).toEqual(["A", "B"].map(reference));
    expect(await client.parked()).toEqual([]);
  });
});

/** Once, news of a household that names somebody whom no feed tells of waited for an answer to work that waited for a person. */
it.each([
  { answer: "at once", status: undefined },
  { answer: "after a server that is busy", status: 503 },
])(
  "a household that is shown again takes in what waits for a person, $answer, though a former member is hidden",
  async ({ status }) => {
    const world = await createWorld();
    for (const value of ["A", "B"]) {
      const person = { type: "Individual", identifier: [{ system, value }], name: { family: value } };
      await ok(world.view.individuals.create(person as Individual));
    }
    const head = { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] };
    const members = [
      { entity: { reference: reference("A") }, role: head },
      { entity: { reference: reference("B") }, inactive: true },
    ];
    const group = {
      type: "Group",
      identifier: [{ system, value: "H" }],
      groupType: "household",
      name: "Home",
    };
    await ok(world.view.groups.create({ ...group, member: members } as unknown as Group));
    const home = `Group/${system}|H`;
    const grant = (scope: unknown = everything) =>
      ok(world.view.consents.grant({ subject: { reference: home }, grantee: aid, scope } as Terms));
    const first = await grant();
    let refused: number | undefined;
    let looks = 0;
    const network: DeviceOptions["network"] = (send) => async (url, init) => {
      if (init.method !== "GET" || !url.includes("/Group/") || !refused) return send(url, init);
      looks++;
      return new Response("busy", { status: refused });
    };
    const { client } = world.device("a", { network });
    await ok(client.signIn(partner));
    const sync = async (times: number, minutes = 5 * 60) => {
      for (let run = 0; run < times; run++) {
        world.pass(minutes * 60_000);
        await client.sync();
      }
    };
    await sync(1);
    await ok(
      client.groups.update(home, (draft) => {
        draft.member = draft.member?.filter(({ inactive }) => !inactive) ?? [];
      }),
    );
    await ok(world.view.consents.revoke(first.id));
    await sync(2);
    expect(await client.parked()).toMatchObject([{ reason: "gone" }]);
    const fields = ["name", "member.role", "active"];
    const part = await grant([{ resourceType: "all", fieldAccess: "custom", fields }]);
    await sync(2);
    await ok(world.view.consents.revoke(part.id));
    await grant();
    refused = status;
    // Looked at once an hour, and no more.
    if (status) await sync(36, 5);
    expect(looks).toBe(status ? 3 : 0);
    refused = undefined;
    await sync(3);
    expect(await client.parked()).toEqual([]);
    const { member } = await ok(world.view.groups.read(`${system}|H`));
    expect(member).toMatchObject([{ entity: { reference: reference("A") } }]);
    expect(member).toHaveLength(1);
  },
);
