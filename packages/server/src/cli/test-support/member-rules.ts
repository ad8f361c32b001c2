import type { JsonObject } from "@fieldroll/core";
import { type Doors, said, type Verdict } from "./doors.ts";
import { type Case, ref } from "./verb-case.ts";

const head = { role: { coding: [{ system: "urn:service:vocab:relationship", code: "head" }] } };

/** A rule at the doors of one verb: in process, over HTTP, in a bundle. */
function groupVerb(
  rule: string,
  verb: "$add-member" | "$remove-member" | "$split" | "$merge",
  given: {
    readonly of: string;
    readonly violating: JsonObject;
    readonly sound: JsonObject;
    readonly soundOf?: string;
    readonly faults: readonly string[];
  },
): readonly Case[] {
  const { of, violating, sound, soundOf = of, faults } = given;
  const pathOf = (name: string) => (verb === "$merge" ? "/Group/$merge" : `/Group/urn:g|${name}/${verb}`);
  const ways: readonly (readonly [
    string,
    (doors: Doors, name: string, body: JsonObject) => Promise<Verdict>,
  ])[] = [
    [
      "in process",
      async ({ view: { groups } }, name, body) => {
        const at = `urn:g|${name}`;
        if (verb === "$merge") return said(await groups.merge(body));
        if (verb === "$split") return said(await groups.split(at, body));
        return said(await (verb === "$add-member" ? groups.addMember : groups.removeMember)(at, body));
      },
    ],
    ["over HTTP", ({ request }, name, body) => request("POST", pathOf(name), body)],
    ...(["batch", "transaction"] as const).map(
      (type) =>
        [
          `in a ${type}`,
          ({ bundle }: Doors, name: string, body: JsonObject) =>
            bundle(type, { method: "POST", url: pathOf(name).slice(1) }, body),
        ] as const,
    ),
  ];
  return ways.map(([way, ask]) => ({
    rule,
    door: `${verb} ${way}`,
    faults,
    violating: (doors) => ask(doors, of, violating),
    sound: (doors) => ask(doors, soundOf, sound),
  }));
}

const newHome = { identifier: [{ system: "urn:g", value: "new" }], name: "Cruz" };
const groupRef = (name: string) => ({ reference: `Group/urn:g|${name}` });

export const ofMembers: readonly Case[] = [
  ...groupVerb("an archived group takes in nobody", "$add-member", {
    of: "old",
    violating: { entity: ref("ana") },
    sound: { entity: ref("cora") },
    soundOf: "home",
    faults: [" archived"],
  }),
  ...groupVerb("an archived group takes in nobody", "$merge", {
    of: "",
    violating: { source: groupRef("home"), target: groupRef("old") },
    sound: { source: groupRef("home"), target: groupRef("other") },
    faults: ["/target archived"],
  }),
  ...groupVerb("an archived group is not parted", "$split", {
    of: "old",
    violating: { ...newHome, members: [ref("ben")] },
    sound: { ...newHome, members: [ref("ben")] },
    soundOf: "home",
    faults: ["/members all_members", " archived"].toSorted(),
  }),
  ...groupVerb("a group has one head", "$add-member", {
    of: "home",
    violating: { entity: ref("cora"), ...head },
    sound: { entity: ref("cora") },
    faults: ["/role second_head"],
  }),
  ...groupVerb("a member is listed once, whatever it is called", "$add-member", {
    of: "home",
    violating: { entity: { reference: "Individual/urn:q|ben" } },
    sound: { entity: { reference: "Individual/urn:q|cora" } },
    faults: ["/entity duplicate_member"],
  }),
  ...groupVerb("a person belongs to one household", "$add-member", {
    of: "other",
    violating: { entity: ref("ben") },
    sound: { entity: ref("gone") },
    faults: ["/entity other_household"],
  }).map((one) => ({ ...one, policies: { oneHousehold: true } })),
  ...groupVerb("a membership begins by tomorrow", "$add-member", {
    of: "home",
    violating: { entity: ref("cora"), period: { start: "2026-03-03" } },
    sound: { entity: ref("cora"), period: { start: "2026-03-02" } },
    faults: ["/period/start future_date"],
  }),
  ...groupVerb("a member is there", "$add-member", {
    of: "home",
    violating: { entity: ref("nobody") },
    sound: { entity: ref("cora") },
    faults: ["/entity/reference unknown_reference"],
  }),
  ...groupVerb("a member's period ends after it began", "$add-member", {
    of: "home",
    violating: { entity: ref("cora"), period: { start: "2025-02-01", end: "2025-01-01" } },
    sound: { entity: ref("cora"), period: { start: "2025-01-01", end: "2025-02-01" } },
    faults: ["/period/end invalid_period"],
  }),
  ...groupVerb("a member's period ends after it began", "$remove-member", {
    of: "other",
    violating: { entity: ref("cora"), endDate: "2024-12-31" },
    sound: { entity: ref("cora"), endDate: "2025-12-31" },
    faults: ["/endDate invalid_period"],
  }),
];
