import {
  type Commit,
  createMemoryStore,
  createRegistry,
  operator,
  type Store,
  unwrap,
} from "@fieldroll/core";
import { v7 } from "uuid";
import { person, system } from "./seed.ts";

/** How the registry changes a person. A phone number is in one index; a name is in the trigrams as well. */
export type ChangeOf = "phone" | "name";

/** A registry over a store whose commits are handed over instead of made. */
function recorded(store: Store, tell: (commit: Commit) => void) {
  const recording: Store = {
    ...store,
    commit: async (commit) => {
      tell(commit);
      return { ok: true };
    },
  };
  // An hour ago and a little later each time, as commits come.
  let time = Date.now() - 3_600_000;
  const clock = () => new Date(time++);
  return createRegistry({ store: recording, clock, newId: () => v7() }).as(operator);
}

/**
 * The commits by which the registry creates people in bundles of so many, numbered from 0: each has the records' documents,
 * with claims, entries and feeds, and for each record one of its audit.
 *
 * @param made somebody by number
 */
export async function* creatingCommits(
  records: number,
  together: number,
  made: (number: number) => object = person,
): AsyncGenerator<Commit> {
  let told: Commit | undefined;
  const view = recorded(createMemoryStore(), (commit) => {
    told = commit;
  });
  for (let from = 0; from < records; from += together) {
    const numbers = Array.from({ length: Math.min(together, records - from) }, (_, i) => from + i);
    const entries = numbers.map((i) => ({ verb: "create", type: "Individual", body: made(i) }) as const);
    unwrap(await view.transaction(entries));
    if (told) yield told;
  }
}

/** The commits by which the registry answers one PATCH with If-Match for each of these people. Each can be made once. */
export async function changingCommits(
  store: Store,
  numbers: readonly number[],
  change: ChangeOf,
): Promise<readonly Commit[]> {
  const made: Commit[] = [];
  const view = recorded(store, (commit) => made.push(commit));
  for (const number of numbers) {
    const found = await store.find?.(`Individual/${system}|${number}`);
    if (!found) throw new Error(`person ${number} is not in the store`);
    const address = { system, value: String(number) };
    const { version } = found.document;
    const digits = String(number + 3 * version).padStart(7, "0");
    const patch =
      change === "name"
        ? { name: { middle: `Ma${version}` } }
        : { telecom: [{ system: "phone", value: `+63918${digits}` }] };
    unwrap(await view.individuals.patch(address, patch, { ifMatch: [String(version)] }));
  }
  return made;
}

/** Asks for commits at the same time. */
export async function madeBy(store: Store, commits: readonly Commit[]): Promise<void> {
  for (const result of await Promise.all(commits.map((commit) => store.commit(commit)))) {
    if (!result.ok) throw new Error(`a commit was refused: ${JSON.stringify(result.failures)}`);
  }
}
