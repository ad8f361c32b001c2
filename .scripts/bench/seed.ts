import { createRegistry, operator, unwrap } from "@fieldroll/core";
import { openSqliteStore } from "@fieldroll/storage/sqlite";
import { v7 } from "uuid";
import { word } from "./words.ts";

export const system = "urn:gov:ph:nid";

/** A person as the specification has one, the same for the same number. */
export function person(number: number) {
  const place = { type: "physical", city: word(number % 97), state: word(number % 13), country: "PH" };
  return {
    type: "Individual",
    identifier: [{ system, value: String(number) }],
    name: { family: word((number * 2654435761) % 4096), given: word((number * 40503) % 1021) },
    birthDate: `${1950 + (number % 70)}-${String(1 + (number % 12)).padStart(2, "0")}-11`,
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: String(1 + (number % 2)) }] },
    telecom: [{ system: "phone", value: `+63917${String(number).padStart(7, "0")}` }],
    address: [place],
  };
}

/** Fills a database with people, numbered from 0. */
export async function seed(path: string, records: number): Promise<void> {
  const store = await openSqliteStore({ path, durability: "normal" });
  // An hour ago: whoever pages through a search looks again at what changed in the seconds before its first page.
  const clock = () => new Date(Date.now() - 3_600_000);
  const view = createRegistry({ store, clock, newId: () => v7() }).as(operator);
  for (let from = 0; from < records; from += 500) {
    const numbers = Array.from({ length: Math.min(500, records - from) }, (_, i) => from + i);
    const entries = numbers.map((i) => ({ verb: "create", type: "Individual", body: person(i) }) as const);
    unwrap(await view.transaction(entries));
    if (from % 5000 === 0) process.stderr.write(`\rseeding ${from} of ${records}`);
  }
  process.stderr.write(`\rseeded ${records} people    \n`);
  await store.close();
}
