import { type Condition, type Store, searchText } from "@fieldroll/core";
import { committingBy } from "./documents.ts";

/**
 * A store that finds only what has, for each of the texts, a name that begins with it; a blank at its end is the end of a word.
 * A person's name begins with the given and with the family name, for the index has it both ways round. Looking at beginnings
 * costs a store next to nothing.
 */
export function namedFrom(store: Store, starts: readonly string[]): Store {
  const begins = starts.map((start): Condition => {
    const text = searchText(start);
    return { index: "name", prefix: /\s$/u.test(start) ? `${text} ` : text };
  });
  return {
    ...committingBy(store, (writes) => store.commit(writes)),
    query: (query) => store.query({ ...query, where: [...(query.where ?? []), ...begins] }),
  };
}
