import { describe, expect, it } from "vitest";
import type { Commit, Document } from "./port.ts";
import {
  bodyText,
  checkCommit,
  checkedClaims,
  checkedQuery,
  checkPut,
  isStrict,
  mostConditions,
} from "./rules.ts";

const person = (key: string, rest: Partial<Document> = {}): Document => ({
  ...{ collection: "people", key, version: 1, body: 1 },
  ...rest,
});

const secret = "Ana Reyes";

const refused: readonly { readonly name: string; readonly commit: Commit; readonly says: RegExp }[] = [
  {
    name: "a claim of two documents",
    commit: { put: [person("a", { claims: [secret] }), person("b", { claims: [secret] })] },
    says: /the same claim, one of them people "b"/,
  },
  {
    name: "a claim that can't be stored",
    commit: { put: [person("a", { claims: [`${secret}\u0000`] })] },
    says: /a claim holds U\+0000/,
  },
  {
    name: "a value that can't be stored",
    commit: { put: [person("a", { entries: { name: [`${secret}\ud800`] } })] },
    says: /a value of the index name holds/,
  },
  {
    name: "a claim expected to be free that can't be stored",
    commit: { expect: [{ kind: "free", claim: `${secret}\u0000` }] },
    says: /a claim holds U\+0000/,
  },
];

describe("checkCommit", () => {
  it.each(refused)("refuses $name without quoting it", ({ commit, says }) => {
    expect(() => checkCommit(commit)).toThrow(says);
    expect(() => checkCommit(commit)).not.toThrow(secret);
  });

  it("takes a version that is expected, and names the document of one that is none", () => {
    const expectation = { kind: "version", collection: "people", key: "a", version: 7 } as const;
    checkCommit({ expect: [expectation] });
    expect(() => checkCommit({ expect: [{ ...expectation, version: 0.5 }] })).toThrow(/people "a" is 0.5/);
  });
});

const misshapen: readonly (readonly [name: string, document: object, says: RegExp])[] = [
  ["claims", { claims: secret }, /the claims of people "a" are a text, not a list/],
  ["feeds", { feeds: null }, /the feeds of people "a" are null, not a list/],
  ["entries", { entries: [secret] }, /the entries of people "a" are a list, not an object/],
  [
    "values",
    { entries: { name: secret } },
    /the values of the index name of people "a" are a text, not a list/,
  ],
  ["a claim", { claims: [{ secret }] }, /a claim is an object, not a string/],
  ["a version", { version: Symbol(secret) }, /the version of people "a" is a symbol/],
];

describe("isStrict", () => {
  const quiet = { collection: "c", key: "k", version: 1, body: 1 };
  const told = { ...quiet, feeds: ["f"] };

  it.each([
    { what: "one that asks for nothing", commit: { put: [quiet] }, is: true },
    { what: "a relaxed one", commit: { put: [quiet], durability: "relaxed" }, is: false },
    {
      what: "a relaxed one that tells a feed",
      commit: { put: [quiet, told], durability: "relaxed" },
      is: true,
    },
    { what: "a relaxed one that removes", commit: { remove: [quiet], durability: "relaxed" }, is: true },
  ] as const)("holds for a commit that a loss of power must not take: $what", ({ commit, is }) => {
    expect(isStrict(commit)).toBe(is);
  });
});

describe("checkPut", () => {
  it.each(misshapen)("says what has another form than it should, and quotes nothing: %s", (_, rest, says) => {
    const check = () => checkPut(person("a", rest));
    expect(check).toThrow(expect.objectContaining({ code: "bad-request" }));
    expect(check).toThrow(says);
    expect(check).not.toThrow(secret);
  });

  it("takes a document that declares nothing", () => {
    checkPut(person("a"));
    checkPut(person("a", { claims: [], entries: {}, feeds: [] }));
  });
});

describe("checkedClaims", () => {
  it.each([null, undefined, "abc", { 0: "a" }, new Set(["a"])])("refuses %s, which is no list", (claims) => {
    expect(() => checkedClaims(claims as never)).toThrow(/what is to be resolved is .*, not a list/);
  });

  it("takes texts that nobody can declare", () => {
    checkedClaims(["", "\u0000", "\ud800"]);
  });
});

describe("checkedQuery", () => {
  it("says how many conditions are too many", () => {
    const where = Array.from({ length: mostConditions + 1 }, () => ({ index: "name", prefix: "a" }));
    const query = { collection: "people", limit: 1 };
    expect(() => checkedQuery({ ...query, where })).toThrow(`${mostConditions + 1} conditions, more than`);
    checkedQuery({ ...query, where: where.slice(1) });
  });
});

const circle: unknown[] = [];
circle.push(circle);

describe("bodyText", () => {
  it("writes a body as JSON", () => {
    expect(bodyText(person("a", { body: { of: [1, null] } }))).toBe('{"of":[1,null]}');
  });

  it.each([
    ["a BigInt", { [secret]: 10n }],
    ["undefined", undefined],
    ["a function", () => secret],
    ["a circle", circle],
  ])("refuses %s, and names the document", (_, body) => {
    const write = () => bodyText(person("a", { body: body as never }));
    expect(write).toThrow(expect.objectContaining({ code: "bad-request" }));
    expect(write).toThrow(/the body of people "a" can't be written as JSON/);
    expect(write).not.toThrow(secret);
  });
});
