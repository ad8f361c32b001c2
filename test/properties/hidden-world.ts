import { operator, type Policies, type Store, unwrap } from "@fieldroll/core";
import { testId } from "@fieldroll/core/testing";
import { household, program } from "../contract/fixture.ts";
import { consentClients, startWorld, type World } from "../contract/world.ts";
import { named, type Pools, programs, systems } from "./requests.ts";

export type Body = Readonly<Record<string, unknown>>;

/** How a registry answers, and where it keeps its records. */
export interface Setting {
  readonly open: () => Promise<Store>;
  readonly withoutConsent: NonNullable<Policies["withoutConsent"]>;
}

/** What one of two registries holds that nobody shows. */
export interface Hidden {
  /** Per person: values for the members that its consent never shows. */
  readonly parts: readonly Body[];
  readonly people: readonly Body[];
  readonly groups: readonly Body[];
  readonly memberships: readonly Body[];
}

interface Person {
  readonly value: string;
  /** Consents that it gives at the beginning. */
  readonly consents: readonly Body[];
  /** Members that none of them ever shows, and that differ between the registries. */
  readonly never: readonly string[];
  /** Whether its versions are shown as long as any of its consents is in force. */
  readonly meta: boolean;
  /** Identifiers of consents, by their order, without which nothing of it is shown. */
  readonly last: readonly number[];
}

const bodily = ["birthDate", "telecom", "address", "extension", "birthDateEstimated"];
const whole = { access: "all" };
const basic = { access: "basic", resourceType: "Individual" };

/** Who gives which consents: for some parts, for all, for all until a day, for less beside, or by a group that they are in. */
export const covered: readonly Person[] = [
  {
    value: "c0",
    consents: [{ access: "custom", fields: ["name", "gender"] }],
    never: ["active", ...bodily],
    meta: false,
    last: [0],
  },
  { value: "c1", consents: [basic], never: ["gender", ...bodily], meta: true, last: [1] },
  { value: "c2", consents: [whole, basic], never: ["extension"], meta: true, last: [2, 3] },
  {
    value: "c3",
    consents: [{ access: "custom", fields: ["name.given", "address.city"] }],
    never: ["active", "gender", "birthDate", "telecom", "extension", "birthDateEstimated"],
    meta: false,
    last: [4],
  },
  {
    value: "c4",
    consents: [{ ...whole, more: { expiryDate: "2026-03-09" } }],
    never: ["extension"],
    meta: true,
    last: [5],
  },
  { value: "c%34", consents: [], never: ["extension"], meta: true, last: [6] },
];

export const hiddenPeople = ["h0", "h1", "h2"];
const start = Date.parse("2026-03-01T08:00:00Z");
const keysFrom = 500_000;

/** Names that requests may say: of what is shown, of what is hidden, and of what is not there. */
export const pools: Pools = {
  people: [...covered.map(({ value }) => value), ...hiddenPeople, "none", "new1"],
  groups: ["g", "shown", "hg0", "hg1", "none", "new1"],
  memberships: ["m", "hm0", "none"],
  fresh: ["new1", "new2", "c0"],
  taken: "c0",
  keys: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, keysFrom, keysFrom + 1, keysFrom + 5].map((number) =>
    testId(start, number),
  ),
  consents: Array.from({ length: 24 }, (_, i) => testId(start, i + 20)),
};

const identified = (type: keyof typeof systems, value: string) => ({
  identifier: [{ system: systems[type], value }],
});
export const individual = (value: string) => named("Individual", value);

/** One of two registries, and what has become of it. */
export interface Side {
  readonly world: World;
  /** Consents that people and a group gave, by their order. */
  readonly consents: readonly string[];
  readonly ended: Set<number>;
  /** Where the reader of each feed goes on. */
  readonly cursors: Map<string, string>;
  /** What happens next takes its ids from here, however many it takes. */
  readonly continueAt: (next: number) => void;
}

/** Opens a registry with what is shown, the same in both, and what is hidden, which is not. */
export async function openSide(
  { open, withoutConsent }: Setting,
  visible: readonly Body[],
  hidden: Hidden,
): Promise<Side> {
  let number = 0;
  const continueAt = (next: number) => {
    number = next;
  };
  const registry = { newId: () => testId(start, ++number), policies: { withoutConsent } };
  const world = await startWorld({ open, clients: consentClients, registry });
  await world.registry.epoch();
  await world.registry.secret("cursors");
  const create = async (records: readonly Body[]) => {
    const entries = records.map(
      (body) => ({ verb: "create", type: body.type as "Individual", body }) as const,
    );
    if (entries.length > 0) unwrap(await world.registry.as(operator).transaction(entries, { trusted: true }));
  };
  const people = { ...program, identifier: [{ system: "urn:service:program", value: "people" }] };
  await create([program, { ...people, targetType: "individual" }, ...visible.map(mixedWith(hidden))]);
  await create([
    household("g", [individual("c2")]),
    household("shown", [individual("c%34")]),
    {
      type: "ProgramMembership",
      ...identified("ProgramMembership", "m"),
      program: { reference: programs[1] },
      beneficiary: { reference: individual("c2") },
      status: "enrolled",
    },
  ]);
  continueAt(1_000);
  const terms = covered.flatMap(({ value, consents }) =>
    consents.map((consent) => ({ subject: individual(value), organization: "Helpers", ...consent })),
  );
  const shared = { subject: `Group/${systems.Group}|shown`, organization: "Helpers", ...whole };
  const consents: string[] = [];
  for (const one of [...terms, shared])
    consents.push(await world.grant(one as Parameters<World["grant"]>[0]));
  const groupOnly = { access: "basic", resourceType: "Group" } as const;
  await world.grant({ subject: `Group/${systems.Group}|g`, organizationType: "ngo", ...groupOnly });
  continueAt(keysFrom - 1);
  await create(hidden.people.map((body, i) => ({ ...body, ...identified("Individual", `h${i}`) })));
  await create(hidden.groups.map((body, i) => ({ ...body, ...identified("Group", `hg${i}`) })));
  await create(
    hidden.memberships.map((body, i) => ({ ...body, ...identified("ProgramMembership", `hm${i}`) })),
  );
  await world.grant({ subject: individual("h0"), organization: "Others" });
  continueAt(900_000);
  return { world, consents, ended: new Set(), cursors: new Map(), continueAt };
}

/** A person with the shown members of one body and the hidden ones of another. */
function mixedWith({ parts }: Hidden) {
  return (body: Body, i: number): Body => {
    const { value = "", never = [] } = covered[i] ?? {};
    const own = Object.entries(body).filter(([name]) => !never.includes(name));
    const other = Object.entries(parts[i] ?? {}).filter(([name]) => never.includes(name));
    const city = value === "c3" ? { address: [{ type: "physical", city: "Imus" }] } : {};
    return { ...Object.fromEntries([...own, ...other]), ...city, ...identified("Individual", value) };
  };
}
