import type { ConsentScope } from "../../consent/types.ts";
import { unwrap } from "../../problem.ts";
import { createTestRegistry, type TestRegistryOptions } from "../../testing/test-registry.ts";

export const system = "urn:gov:id";
const feed = "all";

export const scope = (more: Partial<ConsentScope> = {}) => [
  { resourceType: "all", fieldAccess: "all", ...more },
];

/** A registry of persons in Cavite, and a reader of its feeds that depends on consents. */
export async function open(options: TestRegistryOptions = {}) {
  const test = createTestRegistry(options);
  const { view } = test;
  const relief = test.as({ organization: "Relief", legalBasis: "consent" });
  const person = (value: string, more: object = {}) =>
    view.individuals.create({
      type: "Individual",
      identifier: [{ system, value }],
      name: { family: `Family ${value}` },
      address: [{ country: "PH", state: "Cavite" }],
      ...more,
    });
  const grant = async (subject: string, more: object = {}) =>
    unwrap(
      await view.consents.grant({
        subject: { reference: subject },
        grantee: { organization: "Relief" },
        scope: scope(),
        ...more,
      }),
    );
  const read = async (cursor?: string, more: object = {}) =>
    unwrap(await relief.changes({ feed, ...(cursor !== undefined && { cursor }), ...more }));
  return { ...test, relief, person, grant, read };
}

export const individual = (value: string) => `Individual/${system}|${value}`;
/** Items as short words, such as `1 upsert` and `2 consent`. */
export const told = (page: { data: readonly { reference: string; change: string; reason?: string }[] }) =>
  page.data.map(({ reference, change, reason }) => [reference.split("|")[1], reason ?? change].join(" "));

export const household = (members: readonly string[]) => ({
  type: "Group",
  identifier: [{ system: "urn:g", value: "h" }],
  groupType: "household",
  name: "H",
  member: members.map((value) => ({ entity: { reference: individual(value) } })),
});
