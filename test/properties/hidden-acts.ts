import { unwrap } from "@fieldroll/core";
import fc from "fast-check";
import { type Body, covered, individual, type Side } from "./hidden-world.ts";
import { systems } from "./requests.ts";

/** What happens in a registry while a caller watches, by others and by the calendar. */
export type Act =
  | { readonly kind: "wait"; readonly days: number }
  /** A consent is withdrawn, by its order. */
  | { readonly kind: "revoke"; readonly consent: number }
  /** A person moves to another area. Who sees the address sees it in both registries. */
  | { readonly kind: "move"; readonly person: number; readonly state: string }
  /** The member of the group that shows its members leaves it. */
  | { readonly kind: "leave" }
  /** Members that no consent shows, or none any more, change: to something else in each registry. */
  | { readonly kind: "secret"; readonly person: number }
  /** A hidden group becomes that of somebody whose groups are hidden: of somebody else in each registry. */
  | { readonly kind: "gather"; readonly at: number };

/** Who never shows which groups they are in. */
const ungrouped = ["c0", "c1", "c3"];

const someone = fc.nat({ max: covered.length - 1 });

export const arbitraryAct: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ kind: fc.constant("wait" as const), days: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ kind: fc.constant("revoke" as const), consent: fc.nat({ max: 6 }) }),
  fc.record({
    kind: fc.constant("move" as const),
    person: someone,
    state: fc.constantFrom("Cavite", "Laguna"),
  }),
  fc.record({ kind: fc.constant("leave" as const) }),
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("secret" as const), person: someone }) },
  fc.record({ kind: fc.constant("gather" as const), at: fc.nat({ max: ungrouped.length - 1 }) }),
);

/** Ids that an act takes stay below this many, however much it has to write. */
const idsPerStep = 1_000;

/** More than the time within which a reader may be told twice of what it lost. */
const pauseMilliseconds = 3 * 60_000;

/** Time goes on by a little, and ids are taken from a new run, at each step alike in both registries. */
export function beginStep({ world, continueAt }: Side, step: number): void {
  world.clock.now = new Date(world.clock.now.getTime() + pauseMilliseconds);
  continueAt(1_000_000 + step * idsPerStep);
}

/** Which step it is, and in which registry: what is hidden differs by it. */
interface At {
  readonly step: number;
  readonly name: string;
}

/** Lets something happen. */
export async function perform(side: Side, act: Act, { step, name }: At): Promise<void> {
  const { world, consents, ended } = side;
  if (act.kind === "wait") {
    world.clock.now = new Date(world.clock.now.getTime() + act.days * 86_400_000);
    if (world.clock.now.toISOString() > "2026-03-10") ended.add(5);
  }
  if (act.kind === "revoke" && !ended.has(act.consent)) {
    ended.add(act.consent);
    unwrap(await world.view.consents.revoke(consents[act.consent] ?? ""));
  }
  if (act.kind === "leave" && !ended.has(6)) await leave(side);
  if (act.kind === "move") await change(side, act.person, addressPatch(act, side, { step, name }));
  if (act.kind === "secret") await change(side, act.person, secretPatch(act, side, { step, name }));
  const at = act.kind === "gather" ? act.at + (name === "left" ? 0 : 1) : undefined;
  if (at !== undefined) await gather(side, ungrouped[at % ungrouped.length] ?? "", step);
}

/** The caller may have taken the member out itself, in both registries. */
async function leave({ world, ended }: Side): Promise<void> {
  ended.add(6);
  const { member } = unwrap(await world.view.groups.read(`${systems.Group}|shown`));
  const reference = individual("c%34");
  if (!member?.some((one) => one.entity.reference === reference && one.inactive !== true)) return;
  unwrap(await world.view.groups.removeMember(`${systems.Group}|shown`, { entity: { reference } }));
}

/** Who shows nothing of itself any more. */
function isLost({ ended }: Side, person: number): boolean {
  return covered[person]?.last.every((consent) => ended.has(consent)) ?? true;
}

async function change({ world }: Side, person: number, patch: Body): Promise<void> {
  const value = covered[person]?.value ?? "";
  const address = { system: systems.Individual, value };
  const found = await world.view.individuals.read(address);
  // Where its identifier was changed in secret, there is nobody to change.
  if (found.ok) unwrap(await world.view.individuals.patch(address, patch, { ifMatch: "*" }));
}

/** Another address each time: whose versions are shown gets a new one in both registries. */
function addressPatch({ person, state }: Extract<Act, { kind: "move" }>, side: Side, at: At): Body {
  const hidden = isLost(side, person) || covered[person]?.never.includes("address");
  const city = person === 3 ? "Imus" : "Kawit";
  const other = { country: "PH", state: hidden && at.name === "left" ? "Quezon" : state };
  return { address: [{ type: "physical", ...other, city, postalCode: String(1_000 + at.step) }] };
}

/** Another value each time: whose versions are shown gets a new one in both registries. */
function secretPatch({ person }: Extract<Act, { kind: "secret" }>, side: Side, { step, name }: At): Body {
  const size = 100 + step * 2 + (name === "left" ? 0 : 1);
  const extension = { farmer: { farmSize: size } };
  if (!isLost(side, person)) return { extension };
  const family = `Secret${size}`;
  return {
    name: { family, given: family },
    birthDate: name === "left" ? "1950-01-01" : "2001-01-01",
    extension,
  };
}

/** Another name each time, so that the group changes in both registries; active, for an archived one takes in nobody. */
async function gather({ world }: Side, person: string, step: number): Promise<void> {
  const patch = {
    name: `Group ${step}`,
    active: true,
    member: [{ entity: { reference: individual(person) } }],
  };
  unwrap(await world.view.groups.patch(`${systems.Group}|hg0`, patch, { ifMatch: "*" }));
}
