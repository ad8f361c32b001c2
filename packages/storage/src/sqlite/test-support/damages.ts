import type { StoreFault } from "@fieldroll/core";

/** A way in which what is kept may disagree with the documents. The message tells which way it was. */
export interface Damage {
  readonly name: string;
  readonly sql: string;
  readonly about: StoreFault["about"];
  readonly says: RegExp;
  readonly at?: object;
}

export const ana = { collection: "people", key: "ana" };
export const idOfAna = "(SELECT id FROM documents WHERE key = 'ana')";
export const feedNumber = (feed: string) => `(SELECT id FROM feed_names WHERE feed = '${feed}')`;

/** Every way in which places in feeds that wait may disagree with the documents. */
export const damagesOfWaiting: readonly Damage[] = [
  {
    name: "a document whose place is lost",
    sql: `DELETE FROM pending_feeds WHERE feed = ${feedNumber("all")} AND told = ${idOfAna}`,
    about: "feed",
    says: /feed all is declared, but does not tell/,
    at: ana,
  },
  {
    name: "a document told where its newest change is not",
    sql: `INSERT INTO pending_feeds VALUES (0, ${feedNumber("all")}, ${idOfAna}, NULL, NULL, 0)`,
    about: "feed",
    says: /feed all: position 0 tells a document whose newest change is elsewhere/,
    at: ana,
  },
  {
    name: "a former place that none follows",
    sql: `UPDATE pending_feeds SET was = 0 WHERE feed = ${feedNumber("all")} AND position = 5`,
    about: "feed",
    says: /feed all: position 2 tells a document whose newest change is elsewhere/,
  },
  {
    name: "a place that follows another document's",
    sql: `UPDATE pending_feeds SET was = 1 WHERE feed = ${feedNumber("all")} AND position = 4`,
    about: "feed",
    says: /feed all: position 4 is said to follow position 1, which tells another document/,
    at: ana,
  },
  {
    name: "a place that follows a later one",
    sql: `UPDATE pending_feeds SET was = 900 WHERE feed = ${feedNumber("all")} AND position = 4`,
    about: "feed",
    says: /feed all: position 4 is said to follow position 900, which does not come before it/,
  },
  {
    name: "places that were moved and wait all the same",
    sql: "INSERT INTO feeds SELECT feed, position, told, collection, key FROM pending_feeds WHERE position = 6",
    about: "feed",
    says: /position 6 waits, although a later one was moved/,
  },
  {
    name: "a departure whose place is lost",
    sql: "DELETE FROM pending_feeds WHERE key = 'cora'",
    about: "feed",
    says: /feed all: a document left, which the feed does not tell/,
  },
  {
    name: "a value of another type",
    sql: "UPDATE pending_feeds SET was = 'x' WHERE position = 4",
    about: "medium",
    says: /table pending_feeds: a value in the column was is not of the column's type/,
  },
];
