import type { Individual, JsonObject } from "@fieldroll/core";
import type { SeededRandom } from "@fieldroll/core/testing";
import type { FieldClient, ParkedRecord, Resolution } from "@fieldroll/sync";
import { tokensIn } from "./arrived.ts";
import type { SimulatedDevice } from "./device.ts";
import type { Oracle } from "./oracle.ts";

/** Who works with a tablet: what they do, and what of it was promised to them. */
export interface PeopleOptions {
  readonly random: SeededRandom;
  readonly oracle: Oracle;
  readonly tell: (line: string) => void;
  readonly count: (what: string) => void;
}

interface Deed extends PeopleOptions {
  readonly device: SimulatedDevice;
  readonly client: FieldClient;
}

/** How often a person does what. */
const deeds = {
  mark: 30,
  rename: 14,
  "correct a birth date": 6,
  "register a household": 10,
  "enroll somebody": 8,
  "move an enrollment": 8,
  "add a member": 6,
  archive: 2,
  decide: 10,
  sync: 6,
} as const;

/** Does one thing on a tablet, as far as it is on. Whatever it says to the person is noted. */
export async function doSomething(device: SimulatedDevice, options: PeopleOptions): Promise<void> {
  const what = options.random.weighted(deeds);
  if (device.tabs.length === 0 || !what) return;
  const client = options.random.pick(device.tabs);
  const deed: Deed = { ...options, device, client };
  options.tell(`${device.name}: ${what}`);
  options.count(`deed: ${what}`);
  await perform(what, deed);
}

function perform(what: keyof typeof deeds, deed: Deed): Promise<unknown> {
  switch (what) {
    case "mark":
      return edit(deed, () => undefined);
    case "rename":
      return edit(deed, (draft, token) => {
        draft.name = { ...draft.name, family: `Family ${token}` };
      });
    case "correct a birth date":
      return edit(deed, (draft) => {
        draft.birthDate = `19${10 + deed.random.below(80)}-0${1 + deed.random.below(9)}-11`;
      });
    case "register a household":
      return register(deed);
    case "enroll somebody":
      return enroll(deed);
    case "move an enrollment":
      return moveEnrollment(deed);
    case "add a member":
      return addMember(deed);
    case "archive":
      return archive(deed);
    case "decide":
      return decide(deed, "as a person");
    case "sync":
      return deed.client.sync();
  }
}

/** Changes a person, and always leaves a mark that nobody else makes: one more way to reach them. */
async function edit(deed: Deed, change: (draft: Individual, token: string) => void): Promise<void> {
  const { client, device, oracle, random } = deed;
  const found = await client.individuals.search({ limit: "100" });
  if (!found.ok || found.value.data.length === 0) return;
  const held = random.pick(found.value.data);
  const token = oracle.newToken();
  const outcome = await client.individuals.update(held.reference, (draft) => {
    const seen = familyOf(draft);
    draft.telecom = [...(draft.telecom ?? []), { system: "fax", value: token }];
    change(draft, token);
    const family = familyOf(draft);
    if (family !== undefined && family !== seen) oracle.renaming(device, { seen, family });
  });
  if (outcome.ok) oracle.promised(device, token);
}

/** Consents may show a person without the name. */
function familyOf({ name }: Partial<Pick<Individual, "name">>): string | undefined {
  return name?.family;
}

async function register({ client, device, oracle, random }: Deed): Promise<void> {
  const tokens = [oracle.newToken(), oracle.newToken()];
  const programs = await client.programs.search({ targetType: "group" });
  const enrollIn = programs.ok && random.chance(0.5) ? programs.value.data.slice(0, 1) : [];
  const address = [{ type: "physical" as const, state: random.pick(states), country: "PH" }];
  const outcome = await client.registerHousehold({
    group: { groupType: "household", name: `Household ${tokens[0]}`, active: true, address },
    members: tokens.map((token, i) => ({
      individual: {
        active: true,
        name: { family: `Family ${tokens[0]}`, given: `Given ${token}` },
        telecom: [{ system: "fax" as const, value: token }],
        address,
      },
      role: i === 0 ? "head" : "spouse",
    })),
    enrollIn: enrollIn.map(({ reference }) => reference),
  });
  if (outcome.ok) for (const token of tokens) oracle.promised(device, token);
}

/** Where people of the simulation live. */
export const states = ["Cavite", "Laguna"] as const;

async function enroll({ client, random }: Deed): Promise<void> {
  const [people, programs] = await Promise.all([
    client.individuals.search({ limit: "100" }),
    client.programs.search({ targetType: "individual" }),
  ]);
  if (!people.ok || !programs.ok || people.value.data.length === 0 || programs.value.data.length === 0)
    return;
  await client.memberships.create({
    program: { reference: random.pick(programs.value.data).reference },
    beneficiary: { reference: random.pick(people.value.data).reference },
    status: "enrolled",
  } as Parameters<typeof client.memberships.create>[0]);
}

async function moveEnrollment({ client, random }: Deed): Promise<void> {
  const found = await client.memberships.search({ limit: "100" });
  if (!found.ok || found.value.data.length === 0) return;
  const status = random.pick(["enrolled", "paused", "exited"] as const);
  await client.memberships.update(random.pick(found.value.data).reference, (draft) => {
    draft.status = status;
  });
}

async function addMember({ client, random }: Deed): Promise<void> {
  const [groups, people] = await Promise.all([
    client.groups.search({ limit: "50" }),
    client.individuals.search({ limit: "100" }),
  ]);
  if (!groups.ok || !people.ok || groups.value.data.length === 0 || people.value.data.length === 0) return;
  const entity = { reference: random.pick(people.value.data).reference };
  await client.groups.update(random.pick(groups.value.data).reference, (draft) => {
    const member = draft.member ?? [];
    if (random.chance(0.3) && member.length > 1) draft.member = member.slice(1);
    else if (!member.some((one) => one.entity.reference === entity.reference)) {
      draft.member = [...member, { entity }];
    }
  });
}

async function archive({ client, random }: Deed): Promise<void> {
  const found = await client.individuals.search({ limit: "100" });
  if (!found.ok || found.value.data.length === 0) return;
  await client.individuals.update(random.pick(found.value.data).reference, (draft) => {
    draft.active = false;
  });
}

/**
 * Decides on what waits for a person.
 *
 * @param manner `to the end`: what was sent again in vain is given up
 */
export async function decide(
  { client, device, oracle, random, count, tell }: Deed,
  manner: "as a person" | "to the end",
): Promise<void> {
  for (const parked of await client.parked()) {
    const resolution = choose(parked, { random, last: manner === "to the end" && oracle.triedAgain(parked) });
    if (resolution.kind === "choose" || resolution.kind === "adopt")
      oracle.chosen(device, parked, resolution.choices);
    if (resolution.kind === "discard") oracle.givenUp(device, parked);
    tell(`${device.name} decides on ${parked.reason} of ${parked.reference}: ${resolution.kind}`);
    count(`decision: ${parked.reason}, ${resolution.kind}`);
    const { ok } = await client.resolve(parked.reference, resolution);
    if (!ok && resolution.kind === "discard") await giveUpWith(client, parked.reference);
  }
}

/** Gives up something that waits for no decision, as far as nothing else made here refers to it. */
export async function giveUpUnsent({ client, device, oracle, random, tell, count }: Deed): Promise<void> {
  const unsent = (await client.unsent()).filter(({ state }) => state !== "parked");
  if (unsent.length === 0) return;
  const { reference, type } = random.pick(unsent);
  const records = {
    Individual: client.individuals,
    Group: client.groups,
    ProgramMembership: client.memberships,
  };
  const [held, why] = await Promise.all([
    type === "Program" ? undefined : records[type].read(reference),
    client.explain(reference),
  ]);
  if (!held?.ok || !why.ok) return;
  const ours = held.value.record as unknown as JsonObject;
  // The tablet may die before it answers, and have done it.
  const takeBack = oracle.givenUp(device, { ours });
  const { ok } = await client.resolve(reference, { kind: "discard" });
  tell(`${device.name} gives up ${reference}: ${ok ? "done" : "refused"}`);
  count(`deed: give up, ${ok ? "done" : "refused"}`);
  const isUntried = why.value.answers.length === 0 && why.value.attempts === 0;
  if (ok) oracle.givenUp(device, { ours }, isUntried);
  else takeBack();
}

/** Gives a record up together with what was made here and waits for it. */
async function giveUpWith(client: FieldClient, reference: string): Promise<void> {
  for (const records of [client.memberships, client.groups]) {
    const found = await records.search({ limit: "100" });
    for (const held of found.ok ? found.value.data : []) {
      const why = held.state === "pending" ? await client.explain(held.reference) : undefined;
      if (why?.ok && why.value.blockedBy === reference) await giveUpWith(client, held.reference);
    }
  }
  await client.resolve(reference, { kind: "discard" });
}

/** Who reads the same of both people, with no number in common by which the server could tell, does not register them again. */
function isPlainlySame({ ours, theirs }: ParkedRecord): boolean {
  const numbers = ({ identifier }: JsonObject) =>
    Array.isArray(identifier) ? identifier.map((each) => JSON.stringify(each)) : [];
  const [own, other] = [tokensIn(ours), tokensIn(theirs ?? {})];
  const shared = numbers(ours).some((number) => numbers(theirs ?? {}).includes(number));
  return !shared && own.some((token) => other.includes(token));
}

function choose(
  parked: ParkedRecord,
  { random, last }: { readonly random: SeededRandom; readonly last: boolean },
): Resolution {
  const { reason, revision, conflicts, theirs } = parked;
  const choices = Object.fromEntries(
    conflicts.map(({ path }) => [path, random.chance(0.5) ? ("ours" as const) : ("theirs" as const)]),
  );
  if (reason === "conflict" && conflicts.length > 0) return { kind: "choose", revision, choices };
  const adopts = random.chance(0.5);
  if (reason === "duplicate" && theirs && (adopts || isPlainlySame(parked)))
    return { kind: "adopt", revision, choices };
  return last || random.chance(0.2) ? { kind: "discard" } : { kind: "retry" };
}
