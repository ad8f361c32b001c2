import { printAddress, type RegistryView, unwrap } from "@fieldroll/core";
import type { SeededRandom } from "@fieldroll/core/testing";
import { type Consents, changeConsents, consent, consentDeeds } from "./consents.ts";
import { states } from "./people.ts";
import type { SimulatedServer } from "./server.ts";

/** What happens at the server while tablets are out. */
export interface OfficeOptions {
  readonly server: SimulatedServer;
  readonly random: SeededRandom;
  readonly tell: (line: string) => void;
  readonly count: (what: string) => void;
  /** Told of each attempt to restore a backup. */
  readonly restored: (done: boolean) => void;
  /** Whether people give consents and withdraw them. */
  readonly consents: Consents;
  /** Told of each person who withdraws a consent, by the key. */
  readonly withdrawn: (key: string) => void;
}

const deeds = {
  "change a name": 20,
  "correct a birth date": 6,
  "move somebody": 8,
  "enroll somebody": 5,
  "exit somebody": 3,
  archive: 2,
  "give another identifier": 4,
  restart: 4,
  "back up": 6,
  restore: 3,
} as const;

const noConsents = { "give a consent": 0, "withdraw a consent": 0 } as const;

type Deed = keyof typeof deeds | keyof typeof consentDeeds;

export const system = "urn:test:national";

/** The numbers of the people who are there before anybody goes out: some would be another's, decoded once more. */
export const numbers = ["P%20/0", "P%25,1", "P /0", "P%,1", "P%414", "P5"] as const;

/** Registers the first people and programs. */
export async function furnish({ view }: SimulatedServer): Promise<void> {
  for (let i = 0; i < numbers.length; i++) {
    unwrap(
      await view.individuals.create({
        type: "Individual",
        identifier: [{ system, value: numbers[i] }],
        name: { family: `Family ${i}`, given: `Given ${i}` },
        address: [{ type: "physical", state: states[i % states.length], country: "PH" }],
      }),
    );
  }
  for (const targetType of ["group", "individual"]) {
    unwrap(
      await view.programs.create({
        type: "Program",
        identifier: [{ system: "urn:test:program", value: targetType }],
        name: `Aid for each ${targetType}`,
        targetType,
      }),
    );
  }
}

/** Lets most of the first people consent to be seen. */
export async function askForConsents({ view }: SimulatedServer, narrow: boolean): Promise<void> {
  for (const value of numbers.slice(0, -1)) await consent(view, { system, value }, narrow ? ["name"] : []);
}

/** Does one thing at the office. What the registry refuses there is no matter. */
export async function officeDoes(options: OfficeOptions): Promise<void> {
  const { server, random, tell, count, restored, consents } = options;
  const weights: Readonly<Record<Deed, number>> = consents
    ? { ...deeds, ...consentDeeds }
    : { ...deeds, ...noConsents };
  const what = random.weighted(weights);
  if (!what) return;
  tell(`office: ${what}`);
  count(`office: ${what}`);
  if (what === "restart") return server.restart();
  if (what === "back up") return server.backUp();
  if (what === "restore") return restored(await server.restore());
  if (what === "give a consent" || what === "withdraw a consent") {
    const hidden = await changeConsents(what, server, { random, narrow: consents === "narrow" });
    if (hidden !== undefined) options.withdrawn(hidden);
    return;
  }
  await perform(what, server.view, random);
}

async function perform(
  what: Exclude<keyof typeof deeds, "restart" | "back up" | "restore">,
  view: RegistryView,
  random: SeededRandom,
): Promise<void> {
  const found = unwrap(await view.individuals.search({ limit: "100" })).data;
  if (found.length === 0) return;
  const { identifier, address = [] } = random.pick(found);
  const [first] = identifier;
  if (!first) return;
  const name = printAddress(first);
  const patch = (change: object) => view.individuals.patch(name, change, { ifMatch: "*" });
  const number = random.below(1_000_000);
  switch (what) {
    case "change a name":
      await patch({ name: { given: `Office ${number}` } });
      return;
    case "correct a birth date":
      await patch({ birthDate: `19${10 + random.below(80)}-01-0${1 + random.below(9)}` });
      return;
    case "move somebody":
      await patch({
        address: [{ ...address[0], type: "physical", state: random.pick(states), country: "PH" }],
      });
      return;
    case "archive":
      await patch({ active: false });
      return;
    case "give another identifier":
      await patch({
        identifier: [
          ...identifier,
          { system: "urn:test:office", value: `${number % 2 ? "%2F," : "/,"}${number}` },
        ].slice(-4),
      });
      return;
    case "enroll somebody":
      await view.memberships.create({
        type: "ProgramMembership",
        program: { reference: "Program/urn:test:program|individual" },
        beneficiary: { reference: `Individual/${name}` },
        status: "enrolled",
      });
      return;
    case "exit somebody": {
      const held = unwrap(await view.memberships.search({ limit: "100" })).data;
      const one = held.length > 0 ? random.pick(held) : undefined;
      const id = one?.identifier[0];
      if (id) await view.memberships.patch(printAddress(id), { status: "exited" }, { ifMatch: "*" });
    }
  }
}
