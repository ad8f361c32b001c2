import { unwrap } from "@fieldroll/core";
import type { Fetch, ParkedRecord } from "@fieldroll/sync";
import { ok } from "./people.ts";
import { plain } from "./plain.ts";
import { createWorld, credentials } from "./world.ts";

const system = "urn:test:national";
/** By the number that each has at first. */
const people = ["Ana", "Ben", "Cora", "Dan", "Eva", "Fay"];

interface Member {
  readonly entity: { readonly reference: string };
  readonly inactive?: boolean;
}

export function reference(number: string) {
  return `Individual/${system}|${number}` as const;
}

/** A member of a household, called by a number. */
export function member(number: string): Member {
  return { entity: { reference: reference(number) } };
}

/** What is changed of a household's members. */
export const changes = {
  leaves: (number: string) => (all: readonly Member[]) =>
    all.map((one) => (one.entity.reference === reference(number) ? { ...one, inactive: true } : one)),
  isTakenOut: (number: string) => (all: readonly Member[]) =>
    all.filter((one) => one.entity.reference !== reference(number)),
  joins: (number: string) => (all: readonly Member[]) => [...all, member(number)],
};

function at(state: string) {
  return { address: [{ type: "physical" as const, country: "PH", state, city: "Poblacion" }] };
}

/**
 * Households of people with numbers that an office gave them, and a tablet that has them.
 *
 * @param options `homes`: who lives where; `away`: who lives in another area, which the tablet does not keep unless it is in `feeds`;
 *   `isPlain`: whether the server has only what the specification describes; `isDown`: whether a request is not answered now
 */
export async function createNeighbourhood(options: {
  readonly homes: Readonly<Record<string, readonly string[]>>;
  readonly away?: readonly string[];
  readonly feeds?: readonly string[];
  readonly isPlain?: boolean;
  readonly isDown?: (method: string, url: string) => boolean;
}) {
  const { homes, away, isPlain = false, isDown = () => false } = options;
  const world = await createWorld();
  const { individuals, groups, programs, memberships } = world.view;
  let day = 10;

  const add = (given: string, number: string, state = away?.includes(given) ? "Laguna" : "Cavite") =>
    ok(
      individuals.create({
        type: "Individual",
        identifier: [{ system, value: number }],
        name: { given, family: "Cruz" },
        birthDate: `1980-01-${++day}`,
        ...at(state),
      }),
    );
  for (const [i, given] of people.entries()) await add(given, String(i + 1));
  for (const [name, living] of Object.entries(homes)) {
    const identifier = [{ system, value: name }];
    const all = living.map((given) => member(String(people.indexOf(given) + 1)));
    await ok(
      groups.create({
        type: "Group",
        identifier,
        groupType: "household",
        name,
        ...at("Cavite"),
        member: all,
      }),
    );
  }
  const program = { type: "Program", identifier: [{ system, value: "P" }], name: "Aid", active: true };
  await ok(programs.create({ ...program, targetType: "individual" }));

  let meanwhile: (() => Promise<unknown>) | null = null;
  const network = (send: Fetch): Fetch => {
    const answered = isPlain ? plain(send) : send;
    return async (url, init) => {
      if (isDown(init.method, decodeURIComponent(url))) return new Response("busy", { status: 503 });
      const act = init.method === "GET" || url.endsWith("/token") ? null : meanwhile;
      if (act) meanwhile = null;
      await act?.();
      return answered(url, init);
    };
  };
  const kept = options.feeds ?? ["programs", "area:PH/Cavite"];
  const feeds = away && !isPlain ? { feeds: kept } : {};
  const { client } = world.device("a", { network, ...feeds });
  await ok(client.signIn(credentials));
  await client.sync();

  const enrollAs = (who: string) =>
    ok(
      client.memberships.create({
        program: { reference: `Program/${system}|P` },
        beneficiary: { reference: who },
        status: "enrolled",
      }),
    );
  const numbered = (number: string) => ({ identifier: [{ system, value: number }] });
  const renumber = (from: string, to: string) =>
    ok(individuals.patch(`${system}|${from}`, numbered(to), { ifMatch: "*" }));
  const renumberHome = (from: string, to: string) =>
    ok(groups.patch(`${system}|${from}`, numbered(to), { ifMatch: "*" }));
  return {
    ...{ client, add, renumber, renumberHome },
    async exchange(one: string, other: string) {
      await renumber(one, "between");
      await renumber(other, one);
      await renumber("between", other);
    },
    async exchangeHomes(one: string, other: string) {
      await renumberHome(one, "between");
      await renumberHome(other, one);
      await renumberHome("between", other);
    },
    /** What the office changes of a household's members. */
    async changeHome(home: string, change: (all: readonly Member[]) => readonly Member[]) {
      const { member: all = [] } = unwrap(await groups.read(`${system}|${home}`));
      await ok(groups.patch(`${system}|${home}`, { member: change(all) }, { ifMatch: "*" }));
    },
    /** What happens just as the tablet sends something. */
    asItIsSent(act: () => Promise<unknown>) {
      meanwhile = act;
    },
    moveAway: (number: string, to: string) =>
      ok(individuals.patch(`${system}|${number}`, { ...at("Laguna"), ...numbered(to) }, { ifMatch: "*" })),
    /** What is changed of a household's members on the tablet. */
    edit: (home: string, change: (all: readonly Member[]) => readonly Member[]) =>
      ok(
        client.groups.update(`Group/${system}|${home}`, (draft) => {
          draft.member = [...change(draft.member ?? [])] as NonNullable<typeof draft.member>;
        }),
      ),
    enroll: (number: string) => enrollAs(reference(number)),
    enrollAs,
    /** Syncs until nothing moves any more, and says what waits for a person. */
    async rest(): Promise<readonly ParkedRecord[]> {
      for (let run = 0; run < 4; run++) await client.sync();
      return client.parked();
    },
    /** Who is in a household at the server, by given name. */
    async living(home: string): Promise<readonly string[]> {
      const { member: all = [] } = unwrap(await groups.read(`${system}|${home}`));
      const names: string[] = [];
      for (const { entity, inactive } of all) {
        const { name } = unwrap(await individuals.read(entity.reference.slice("Individual/".length)));
        names.push(`${name.given}${inactive ? ", left" : ""}`);
      }
      return names.sort();
    },
    /** Who is enrolled at the server, by given name. */
    async enrolled(): Promise<readonly (string | undefined)[]> {
      const { data } = unwrap(await memberships.search({}));
      const all = data.map(({ beneficiary }) => beneficiary.reference.slice("Individual/".length));
      return Promise.all(all.map(async (who) => unwrap(await individuals.read(who)).name.given));
    },
    /** Who has a telephone at the server, by given name. */
    async reachable(): Promise<readonly (string | undefined)[]> {
      const { data } = unwrap(await individuals.search({}));
      return data.filter(({ telecom }) => telecom).map(({ name }) => name.given);
    },
  };
}
