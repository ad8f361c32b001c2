import { expect } from "vitest";
import type { Commit, Document, DocumentKey, Store } from "../store/port.ts";
import { handlesOf, mustCommit, person, personKey, type StoreCase } from "./describe-store-harness.ts";

/**
 * Two commits of which either could be made alone, and which write nothing in common; but what one writes, the other
 * expects not to happen. Made in any order, exactly one is made.
 */
interface Skew {
  readonly name: string;
  /** What is there before, for the pair of this number. */
  readonly start?: (n: number) => readonly Document[];
  readonly left: (n: number) => Commit;
  readonly right: (n: number) => Commit;
}

const a = (n: number): DocumentKey => personKey(`a${n}`);
const b = (n: number): DocumentKey => personKey(`b${n}`);
const put = (key: DocumentKey, version = 1) => [person(key.key, { version, feeds: ["all"] })];
const bothThere = (n: number) => [...put(a(n)), ...put(b(n))];

const skews: readonly Skew[] = [
  {
    name: "each put a document that the other expects absent",
    left: (n) => ({ expect: [{ kind: "absent", ...a(n) }], put: put(b(n)) }),
    right: (n) => ({ expect: [{ kind: "absent", ...b(n) }], put: put(a(n)) }),
  },
  {
    name: "each make a claim that the other expects free",
    left: (n) => ({
      expect: [{ kind: "free", claim: `one ${n}` }],
      put: [person(`a${n}`, { claims: [`two ${n}`] })],
    }),
    right: (n) => ({
      expect: [{ kind: "free", claim: `two ${n}` }],
      put: [person(`b${n}`, { claims: [`one ${n}`] })],
    }),
  },
  {
    name: "each change a document that the other expects at its version",
    start: bothThere,
    left: (n) => ({ expect: [{ kind: "version", ...a(n), version: 1 }], put: put(b(n), 2) }),
    right: (n) => ({ expect: [{ kind: "version", ...b(n), version: 1 }], put: put(a(n), 2) }),
  },
  {
    name: "each remove a document that the other expects to exist",
    start: bothThere,
    left: (n) => ({ expect: [{ kind: "exists", ...a(n) }], remove: [b(n)] }),
    right: (n) => ({ expect: [{ kind: "exists", ...b(n) }], remove: [a(n)] }),
  },
  {
    name: "put what names a document and remove that document",
    start: (n) => put(a(n)),
    left: (n) => ({ expect: [{ kind: "exists", ...a(n) }], put: put(b(n)) }),
    right: (n) => ({ expect: [{ kind: "absent", ...b(n) }], remove: [a(n)] }),
  },
  {
    name: "put what was decided on a version and change that version",
    start: (n) => put(a(n)),
    left: (n) => ({ expect: [{ kind: "version", ...a(n), version: 1 }], put: put(b(n)) }),
    right: (n) => ({ expect: [{ kind: "absent", ...b(n) }], put: put(a(n), 2) }),
  },
  {
    name: "make a claim, and put what expects it free",
    left: (n) => ({
      expect: [{ kind: "absent", ...b(n) }],
      put: [person(`a${n}`, { claims: [`one ${n}`] })],
    }),
    right: (n) => ({ expect: [{ kind: "free", claim: `one ${n}` }], put: put(b(n)) }),
  },
];

/** So many pairs at once, as a race is lost now and then only. */
const pairs = 24;

async function race(handles: readonly [Store, ...Store[]], { start, left, right }: Skew): Promise<void> {
  const [first] = handles;
  const numbers = Array.from({ length: pairs }, (_, n) => n);
  if (start) await mustCommit(first, { put: numbers.flatMap(start) });
  const commit = (nth: number, asked: Commit) => (handles[nth % handles.length] ?? first).commit(asked);
  // Each side is asked for first in half of the pairs.
  const results = await Promise.all(
    numbers.map(async (n) => {
      const sides = n % 2 === 0 ? [left(n), right(n)] : [right(n), left(n)];
      return Promise.all(sides.map((side, i) => commit(n + i, side)));
    }),
  );
  const made = results.map((pair) => pair.filter(({ ok }) => ok).length);
  expect(made, "commits made of each pair").toEqual(numbers.map(() => 1));
}

/** Expectations about what a commit does not itself write, judged in the same atomic step all the same. */
export const skewCases: readonly StoreCase[] = skews.map((skew) => ({
  about: "skew",
  name: `of two commits of one moment that ${skew.name}, exactly one is made`,
  async run(open) {
    await race(await handlesOf(open, 3), skew);
  },
}));
