import type { Commit, Document, DocumentKey } from "@fieldroll/core";

/** What one writer has written when it has made so many commits: computed by its program, and not read from a store. */
export interface Life {
  readonly writer: string;
  readonly seed: number;
  /** Commits made. */
  made: number;
  /** Joined key to document, of all that is there. */
  readonly documents: Map<string, Document>;
  /** Claim to joined key of its holder. */
  readonly claims: Map<string, string>;
  /** Keys of persons that may be changed next, oldest first. */
  readonly persons: string[];
}

/** Every so manieth commit of each writer also raises the version of the one document that they share. */
const sharedEvery = 5;

/** The document that all writers raise. */
export const sharedKey: DocumentKey = { collection: "counts", key: "shared" };

/** Areas between which persons move; each has a feed. */
export const areas: readonly string[] = ["north", "south", "ouest-é", "شرق"];

/** The name of an area's feed. */
export function feedOf(area: string): string {
  return `area/${area}`;
}

/** Joins a key to one text. */
export function joined({ collection, key }: DocumentKey): string {
  return `${collection}/${key}`;
}

/** A writer that has written nothing. */
export function newLife(writer: string, seed: number): Life {
  return { writer, seed, made: 0, documents: new Map(), claims: new Map(), persons: [] };
}

/** The key of the document that counts a writer's commits. */
export function tallyKey(writer: string): DocumentKey {
  return { collection: "tallies", key: writer };
}

/** Whether a writer's commit of this number raises the shared document. */
export function sharesAt(n: number): boolean {
  return n % sharedEvery === 0;
}

/** The version that the shared document has when writers have made so many commits each. */
export function sharedVersion(made: readonly number[]): number {
  return made.reduce((sum, n) => sum + Math.floor(n / sharedEvery), 0);
}

/** The shared document at a version. */
export function sharedAt(version: number): Document {
  return { ...sharedKey, version, body: { version }, claims: ["the count"], entries: {}, feeds: ["all"] };
}

/** A writer's next commit, but for the shared document: the same whenever it is asked for. */
export function nextCommit(
  life: Life,
): Commit & { put: readonly Document[]; remove: readonly DocumentKey[] } {
  const n = life.made + 1;
  const random = randomOf(`${life.seed} ${life.writer} ${n}`);
  const at = tallyKey(life.writer);
  const tally: Document = {
    ...at,
    version: n,
    body: n,
    claims: [],
    entries: { name: [`tally of ${n}`] },
    feeds: [],
  };
  const { put, remove } = deed(life, n, random);
  const audit = auditOf(life.writer, n, [...put.map(joined), ...remove.map(joined)]);
  return {
    expect: [n === 1 ? { kind: "absent", ...at } : { kind: "version", ...at, version: n - 1 }],
    put: [tally, ...put, audit],
    remove,
    durability: "strict",
  };
}

/** Notes that a writer's next commit was made; tells the keys and claims that it touched. */
export function advance(life: Life): { keys: DocumentKey[]; claims: string[] } {
  const { put, remove } = nextCommit(life);
  const claims: string[] = [];
  for (const key of [...put, ...remove]) {
    for (const claim of life.documents.get(joined(key))?.claims ?? []) {
      claims.push(claim);
      life.claims.delete(claim);
    }
    life.documents.delete(joined(key));
  }
  for (const document of put) {
    life.documents.set(joined(document), document);
    for (const claim of document.claims ?? []) {
      claims.push(claim);
      life.claims.set(claim, joined(document));
    }
    if (document.collection === "people" && document.version === 1) life.persons.push(document.key);
  }
  if (life.persons.length > 300) life.persons.splice(0, 100);
  life.made += 1;
  return { keys: [...put, ...remove], claims };
}

/** What happens to persons in a commit: some are born, and one is changed, leaves, or hands its card to another. */
function deed(life: Life, n: number, random: (below: number) => number) {
  const born = Array.from({ length: n % 17 === 0 ? 20 : 1 }, (_, i) =>
    personOf(life.writer, `${n}.${i}`, { random, version: 1, claims: [`id ${life.writer}.${n}.${i}`] }),
  );
  const [one, other] = [living(life, random), living(life, random)];
  const what = random(10);
  if (!one || what > 7) return { put: born, remove: [] };
  if (what < 2) return { put: born, remove: [{ collection: one.collection, key: one.key }] };
  if (what < 5 && other && other.key !== one.key) {
    // Both write a claim of which the other lets go in the same commit.
    const put = [again(one, other.claims ?? [], random), again(other, one.claims ?? [], random)];
    return { put: [...born, ...put], remove: [] };
  }
  return { put: [...born, again(one, one.claims ?? [], random)], remove: [] };
}

function again(person: Document, claims: readonly string[], random: (below: number) => number): Document {
  const [writer = "", ...rest] = person.key.split(".");
  return personOf(writer, rest.join("."), { random, version: person.version + 1, claims });
}

interface Telling {
  readonly random: (below: number) => number;
  readonly version: number;
  readonly claims: readonly string[];
}

function personOf(writer: string, number: string, { random, version, claims }: Telling): Document {
  const area = areas[random(areas.length)] ?? "";
  const name = `${["Reyes", "Núñez", "قاسم", "सिंह"][random(4)]} ${writer}.${number} v${version}`;
  return {
    collection: "people",
    key: `${writer}.${number}`,
    version,
    body: { name, area, notes: "x".repeat(200 + random(1500)) },
    claims,
    entries: { name: [name], writer: [writer], area: [area] },
    feeds: ["all", feedOf(area)],
  };
}

function auditOf(writer: string, n: number, touched: readonly string[]): Document {
  return {
    collection: "audit",
    key: `${writer}.${n}`,
    version: 1,
    body: { writer, n, touched },
    claims: [],
    entries: { about: touched.slice(0, 5), writer: [writer] },
    feeds: ["audit"],
  };
}

function living(life: Life, random: (below: number) => number): Document | undefined {
  const key = life.persons[random(Math.max(1, life.persons.length))];
  return key === undefined ? undefined : life.documents.get(`people/${key}`);
}

/** Numbers below a bound, from 0, that follow from a text and from nothing else. */
export function randomOf(text: string): (below: number) => number {
  let state = 7;
  for (let i = 0; i < text.length; i++) state = (state * 31 + text.charCodeAt(i)) % 2_147_483_647;
  return (below) => {
    state = (state * 48_271 + 11) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * below);
  };
}
