import type { Individual, RegistryView } from "@fieldroll/core";
import { expect } from "vitest";
import { ok, system } from "./people.ts";
import type { Device } from "./world.ts";

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
