import { createRegistry, operator, type Registry, unwrap } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 } from "uuid";
import { person, seed, system } from "./seed.ts";

/** Organizations by the number of consents that they have. */
export const organizations = { none: "Nobody's", few: "Relief", all: "Ministry" } as const;

const relationship = "urn:service:vocab:relationship";

/** One person in 500 belongs to no household. */
function isAlone(number: number): boolean {
  return number % 500 === 499;
}

/** Fills a database with people, a household for each five of them, consents of all of these to one organization, and of 100 to another. */
export async function seedWorst(path: string, records: number): Promise<void> {
  await seed(path, records);
  const store = await openSqliteStore({ path, durability: "normal" });
  const clock = () => new Date(Date.now() - 3_000_000);
  const registry = createRegistry({ store, clock, newId: () => v7() });
  await seedGroups(registry, records);
  await seedConsents(registry, records);
  await store.close();
}

async function seedGroups(registry: Registry, records: number): Promise<void> {
  const groups = Array.from({ length: Math.floor(records / 5) }, (_, i) => i);
  for (let from = 0; from < groups.length; from += 200) {
    const entries = groups
      .slice(from, from + 200)
      .map((i) => ({ verb: "create", type: "Group", body: group(i) }) as const);
    unwrap(await registry.as(operator).transaction(entries));
    if (from % 2000 === 0) process.stderr.write(`\rseeding ${from} of ${groups.length} households`);
  }
}

function group(i: number) {
  const members = Array.from({ length: 5 }, (_, n) => 5 * i + n).filter((number) => !isAlone(number));
  return {
    type: "Group",
    identifier: [{ system: "urn:service:group", value: `HH-${i}` }],
    groupType: "household",
    name: `Household ${person(i).name.family} ${i}`,
    member: members.map((number, n) => ({
      entity: { reference: `Individual/${system}|${number}` },
      role: { coding: [{ system: relationship, code: n === 0 ? "head" : "child" }] },
    })),
  };
}

/** Four of five consents are of people, the others of households. */
async function seedConsents(registry: Registry, records: number): Promise<void> {
  const { consents } = registry.as(operator);
  const grant = async (organization: string, i: number) =>
    unwrap(
      await consents.grant({
        subject: {
          reference:
            i % 5 === 4 ? `Group/urn:service:group|HH-${Math.floor(i / 5)}` : `Individual/${system}|${i}`,
        },
        grantee: { organization },
        scope: [{ resourceType: "all", fieldAccess: "all" }],
      }),
    );
  for (let i = 0; i < 100; i++) await grant(organizations.few, 3 * i);
  for (let from = 0; from < records; from += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, n) => grant(organizations.all, from + n)));
    if (from % 2000 === 0) process.stderr.write(`\rseeding ${from} of ${records} consents    `);
  }
  process.stderr.write(`\rseeded ${records} consents          \n`);
}
