import type { ConsentScope } from "../../consent/types.ts";
import { unwrap } from "../../problem.ts";
import { createTestRegistry, type TestRegistryOptions } from "../../testing/test-registry.ts";
import { createBudget } from "../budget.ts";
import type { FeedPage } from "../types.ts";

export const system = "urn:gov:id";
const feed = "all";

export const scope = (more: Partial<ConsentScope> = {}) => [
  { resourceType: "all", fieldAccess: "all", ...more },
];

/** A registry of persons in Cavite, and a reader of its feeds that depends on consents. */
export async function open(options: TestRegistryOptions = {}) {
  const test = createTestRegistry(options);
  const { view } = test;
  const asking = { organization: "Relief", legalBasis: "consent" };
  const relief = test.as(asking);
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
  /** Reads the feed to its end, each page on a budget of so many records; tells the pages, and how many records were looked at. */
  const follow = async (from: string | undefined, { records, limit }: { records: number; limit: number }) => {
    const pages: FeedPage[] = [];
    let looked = 0;
    let cursor = from;
    for (let more = true; more; ) {
      const budget = createBudget({ records, bytes: 1e9, milliseconds: 1, elapsed: () => 0 });
      const view = test.as(asking, {
        budget: {
          ...budget,
          spendRecords(count) {
            looked += count;
            budget.spendRecords(count);
          },
        },
      });
      const page = unwrap(await view.changes({ feed, limit, ...(cursor !== undefined && { cursor }) }));
      pages.push(page);
      cursor = page.nextCursor;
      more = page.hasMore;
    }
    return { pages, looked, cursor };
  };
  return { ...test, relief, person, grant, read, follow };
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
