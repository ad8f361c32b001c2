import type { Individual, MemoryMedium, RegistryView } from "@fieldroll/core";
import { expect } from "vitest";
import { ok, personOf, system } from "./people.ts";
import { createWorld, credentials, type Device, restoredFrom, type World } from "./world.ts";

/** The person that the stories of a restored server are about. */
export const ana = `Individual/${system}|ANA`;

export const everybody = async (view: RegistryView) =>
  (await ok(view.individuals.search({ limit: "50" }))).data;

/** What a record says of itself, as far as these tests look. */
export const said = ({ name, telecom = [] }: Individual) =>
  [name.family, ...telecom.map(({ value }) => value)].join(" ");

export const edit = (device: Device, change: (draft: Individual) => void, reference = ana) =>
  ok(device.client.individuals.update(reference, (draft) => change(draft)));
export const call = (value: string) => (draft: Individual) => {
  draft.telecom = [...(draft.telecom ?? []), { system: "phone", value }];
};
export const rename = (family: string) => (draft: Individual) => {
  draft.name.family = family;
};
/** What an edit comes to when all went well: nothing is left of it here. */
export const synced = async ({ client }: Device) =>
  expect(await client.sync()).toMatchObject({ phase: "idle", pending: 0, sending: 0, parked: 0 });
export const shown = async ({ client }: Device) =>
  (await ok(client.individuals.search({ limit: "50" }))).data.map(({ record }) => said(record)).sort();

/** A server that may be restored, and two tablets that know one person of it. */
export interface Story {
  /** The server as it was at first. */
  readonly world: World;
  /** The server that answers. */
  readonly now: World;
  readonly a: Device;
  readonly b: Device;
  backup(): MemoryMedium;
  /** The server goes back to a backup; nobody has signed in since. */
  goBack(from: MemoryMedium): Promise<void>;
  /** The same, and both tablets have signed in anew. */
  restore(from: MemoryMedium): Promise<void>;
  /** What the server says of everybody. */
  told(): Promise<readonly string[]>;
  /** Writes that came to the server that answers. */
  writes(): readonly string[];
}

export async function createStory(): Promise<Story> {
  const world = await createWorld();
  let now = world;
  await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
  const [a, b] = [world.device("a"), world.device("b")];
  const signIn = async () => {
    for (const { client } of [a, b]) await client.signIn(credentials);
  };
  await signIn();
  for (const { client } of [a, b]) await client.sync();
  const goBack = async (from: MemoryMedium) => {
    now = await restoredFrom(from);
    world.moveTo(now);
  };
  return {
    ...{ world, a, b, goBack },
    get now() {
      return now;
    },
    backup: () => structuredClone(now.medium),
    async restore(from) {
      await goBack(from);
      await signIn();
    },
    told: async () => (await everybody(now.view)).map(said).sort(),
    writes: () => now.requests.filter((request) => /^(POST|PATCH|PUT) \/api/.test(request)),
  };
}
