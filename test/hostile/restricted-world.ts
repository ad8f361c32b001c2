import { ana, consentWorld, home } from "../contract/consent-world.ts";
import { type Call, person, type stores } from "../contract/fixture.ts";
import { everything, type World } from "../contract/world.ts";

export const system = "urn:gov:ph:nid";
export const people = "Program/urn:service:program|people";
/** A number that nobody has. */
export const fresh = "999";
export const identifiers = (...values: readonly string[]) => values.map((value) => ({ system, value }));
export const newcomer = (...values: readonly string[]) =>
  person(fresh, { identifier: identifiers(...values) });
const clerk = {
  id: "clerk",
  scopes: everything,
  legalBasis: "contract",
  fields: ["name", "active", "member", "groupType", "address", "program", "beneficiary", "status"],
};

export type Request = Omit<Call, "as">;

export const post = (path: string, body: unknown): Request => ({ method: "POST", path, body });
export const entry = (method: string, url: string, resource: unknown) => ({
  request: { method, url, ...(method === "PATCH" && { ifMatch: "*" }) },
  resource,
});
export const bundle = (type: string, ...entries: readonly unknown[]) =>
  post("/$batch", { resourceType: "Bundle", type, entry: entries });
export const create = (resource: { readonly type: string }) => entry("POST", resource.type, resource);

/** The world of the cases of consent: `ngo` sees Ana and the household by consents, `clerk` a list of fields of everything. */
export async function open(store: (typeof stores)[number][1], policies = {}): Promise<World> {
  const world = await consentWorld(store, { policies }, [clerk]);
  await world.grant({ subject: ana, organization: "Helpers" });
  await world.grant({ subject: home, organization: "Helpers" });
  return world;
}
