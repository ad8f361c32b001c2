import { describe, expect, it } from "vitest";
import { failure, type Outcome, unwrap } from "../problem.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { MemoryMedium } from "../store/memory-medium.ts";
import { reindexRegistry } from "../upkeep/reindex.ts";
import { verifyRegistry } from "../upkeep/verify.ts";
import { createRegistry } from "./create-registry.ts";
import { operator } from "./scopes.ts";
import type { Caller, IfMatch, RegistryConfig, SearchParameters, WriteOptions } from "./types.ts";

const address = { system: "urn:gov:id", value: "1" };
const person = { type: "Individual", identifier: [address], name: { family: "Reyes" } };
const extId = "01930000-0000-7000-8000-000000000000";

async function open() {
  let ids = 0;
  const newId = () => `01930000-0000-7000-8000-${String(++ids).padStart(12, "0")}`;
  const clock = () => new Date("2026-11-21T08:00:00.000Z");
  const registry = createRegistry({ store: createMemoryStore(), newId, clock });
  const view = registry.as(operator);
  unwrap(await view.individuals.create(person));
  return { registry, view };
}

function problemOf(outcome: Outcome<unknown>) {
  if (outcome.ok) throw new Error("was not refused");
  return outcome.problem;
}

const wrongIfMatch = {
  kind: "bad-request",
  detail: 'The option ifMatch must be "*" or a list of versionIds, such as ["1"].',
  errors: [{ field: "ifMatch", code: "invalid_parameter" }],
};

describe("ifMatch of a wrong kind", () => {
  // Of a bare "12" the "1" was taken for a version once: a write that nobody had allowed.
  it.each([[1], ["1"], ["12"], [null], [{}], [[1]]])("is refused, and changes nothing: %j", async (wrong) => {
    const { view } = await open();
    const options = { ifMatch: wrong as unknown as IfMatch };
    const refused = [
      await view.individuals.patch(address, { birthDate: "1988-04-02" }, options),
      await view.individuals.replace(address, person, options),
      await view.transaction([{ verb: "patch", type: "Individual", address, body: {}, ...options }]),
      await view.entitlements.approve(extId, options),
      await view.changeRequests.approve(extId, options),
    ];
    for (const outcome of refused) expect(problemOf(outcome)).toMatchObject(wrongIfMatch);
    expect(unwrap(await view.individuals.read(address)).meta?.versionId).toBe("1");
  });

  it("is missed where there are no options at all", async () => {
    const { view } = await open();
    const patched = await view.individuals.patch(address, {}, undefined as unknown as WriteOptions);
    expect(problemOf(patched).kind).toBe("precondition-required");
  });
});

describe("a search parameter of a wrong kind", () => {
  it.each<[string, unknown]>([
    ["limit", 10],
    ["limit", null],
    ["active", true],
    ["name", [5]],
    ["_sort", {}],
  ])("is refused by name: %s %j", async (name, value) => {
    const { view } = await open();
    const problem = problemOf(await view.individuals.search({ [name]: value } as SearchParameters));
    expect(problem).toMatchObject({
      kind: "bad-request",
      detail: `The parameter ${name} must be text, such as "10", or a list of texts.`,
      errors: [{ field: name, code: "invalid_parameter" }],
    });
  });

  it.each<[unknown, string]>([
    ["10", "text"],
    [0, "0"],
    [501, "501"],
    [1.5, "1.5"],
    [null, "null"],
  ])("is told apart in the audit trail, whose limit is a number: %j", async (limit, given) => {
    const { registry } = await open();
    const problem = problemOf(await registry.audit({ limit: limit as number }));
    expect(problem.detail).toBe(`limit must be a whole number from 1 to 500, not ${given}.`);
  });
});

/** Calls as plain JavaScript may make them. */
type Loose = Record<string, Record<string, (...given: unknown[]) => Promise<Outcome<unknown>>>>;

const mustBe = {
  address: 'the address of a record, such as "urn:gov:id|4711" or { system, value }',
  parameters: 'an object of texts, such as { name: "Reyes" }',
  options:
    "an object, of which elements, extensions and reason are text, clockSkew is a whole number and idempotency is { key, fingerprint }",
  extId: "text",
  id: "text",
  to: "the name of a state",
  reference: 'text, such as "Individual/urn:gov:id|4711"',
  request: 'an object of texts, such as { limit: "20" }',
  details: 'an object of texts, such as { reason: "Moved away" }',
} as const;

describe("an argument of a wrong kind", () => {
  const idempotency = { key: 1, fingerprint: "f" };
  it.each<[string, string, unknown[], keyof typeof mustBe]>([
    ["individuals", "read", [], "address"],
    ["individuals", "read", [null], "address"],
    ["individuals", "read", [5], "address"],
    ["individuals", "read", [{ system: "urn:gov:id" }], "address"],
    ["individuals", "read", [address, null], "options"],
    ["individuals", "read", [address, { elements: ["name"] }], "options"],
    ["individuals", "disclose", [], "address"],
    ["individuals", "history", [{}], "address"],
    ["individuals", "search", [5], "parameters"],
    ["individuals", "search", [null], "parameters"],
    ["individuals", "search", [["Reyes"]], "parameters"],
    ["individuals", "create", [person, null], "options"],
    ["individuals", "create", [person, { idempotency }], "options"],
    ["individuals", "patch", [], "address"],
    ["individuals", "patch", [address, {}, null], "options"],
    ["individuals", "replace", [], "address"],
    ["groups", "read", [], "address"],
    ["groups", "addMember", [], "address"],
    ["groups", "merge", [{}, null], "options"],
    ["memberships", "patch", [], "address"],
    ["consents", "read", [], "id"],
    ["consents", "revoke", [extId, null], "options"],
    ["consents", "move", [extId], "to"],
    ["consents", "move", [extId, "given", 5], "details"],
    ["consents", "ofSubject", [], "reference"],
    ["registrants", "list", [5], "request"],
    ["registrants", "list", [{ limit: 20 }], "request"],
    ["registrants", "read", [], "extId"],
    ["programDesk", "enroll", [5, {}], "extId"],
    ["cycles", "move", [extId], "to"],
    ["entitlements", "approve", [], "extId"],
    ["changeRequests", "reject", [extId, null], "details"],
    ["changeRequests", "apply", [extId, null], "options"],
  ])("is refused by name: %s.%s(%j)", async (verbs, verb, given, field) => {
    const { view } = await open();
    const call = (view as unknown as Loose)[verbs]?.[verb];
    const message = `must be ${mustBe[field]}`;
    expect(
      problemOf((await call?.(...given)) ?? failure({ kind: "internal", detail: "no such verb" })),
    ).toEqual({
      kind: "bad-request",
      detail: `The argument ${field} ${message}.`,
      errors: [{ field, code: "invalid_parameter", message }],
    });
  });

  it.each<[string, unknown[], RegExp]>([
    [
      "transaction",
      [],
      /^The argument entries must be a list of writes, such as \[\{ verb: "create"[^;]*\.$/,
    ],
    ["transaction", [{}], /^The argument entries must be a list of writes/],
    ["transaction", [() => person], /^The argument entries must be a list of writes/],
    [
      "transaction",
      [[{ verb: "create", type: "Individual", body: person }, {}]],
      /; number 1, counted from 0/,
    ],
    [
      "transaction",
      [[null]],
      /; number 0, counted from 0, is none: look at its verb, its type and its address\.$/,
    ],
    ["transaction", [[{ verb: "make", type: "Individual" }]], /; number 0/],
    ["transaction", [[{ verb: "create", type: "Person", body: person }]], /; number 0/],
    ["transaction", [[{ verb: "patch", type: "Individual", body: {} }]], /; number 0/],
    ["transaction", [[{ verb: "update", type: "Individual", address }]], /; number 0/],
    ["transaction", [[{ verb: "derive", type: "Individual", body: person }]], /; number 0/],
    ["transaction", [[], null], /^The argument options must be/],
    [
      "changes",
      [],
      /^The argument request must be an object with the name of a feed, such as \{ feed: "all" \}/,
    ],
    ["changes", [{ feed: "all", cursor: 5 }], /^The argument request must be .*; its cursor is text\.$/],
    ["batch", [{}, 5], /^The argument options must be/],
  ])("is refused by the view itself: %s(%j)", async (verb, given, sentence) => {
    const { view } = await open();
    const call = (view as unknown as Loose[string])[verb];
    const refused = (await call?.(...given)) ?? failure({ kind: "internal", detail: "no such verb" });
    expect(problemOf(refused)).toMatchObject({
      kind: "bad-request",
      detail: expect.stringMatching(sentence),
    });
  });

  it.each([[5], [null], ["Individual/1"], [{ from: 5 }]])(
    "is refused by the audit trail: %j",
    async (query) => {
      const { registry } = await open();
      const problem = problemOf(await registry.audit(query as object));
      expect(problem.detail).toMatch(/^The argument query must be an object, of which record/);
    },
  );
});

describe("what is no caller", () => {
  it.each<[string, unknown, RegExp]>([
    [
      "nothing",
      undefined,
      /^registry\.as: clientId must be the id of a client, as text; scopes must be a list/,
    ],
    [
      "an empty object",
      {},
      /clientId must be .*; scopes must be a list of scopes, such as \["registry:read"\]/,
    ],
    ["a name", "operator", /^registry\.as: clientId must be .*; the caller operator has all\.$/],
    ["scopes in one text", { clientId: "a", scopes: "registry:read" }, /^registry\.as: scopes must be/],
    [
      "no client",
      { scopes: ["registry:read"] },
      /^registry\.as: clientId must be the id of a client, as text\.$/,
    ],
    [
      "fields in one text",
      { clientId: "a", scopes: [], fields: "name" },
      /^registry\.as: fields must be a list/,
    ],
  ])("is refused at once: %s", async (_, caller, sentence) => {
    const { registry } = await open();
    expect(() => registry.as(caller as Caller)).toThrow(TypeError);
    expect(() => registry.as(caller as Caller)).toThrow(sentence);
  });
});

describe("createRegistry without what it needs", () => {
  const whole: RegistryConfig = {
    store: createMemoryStore(),
    clock: () => new Date(0),
    newId: () => extId,
  };
  it.each<[string, unknown, RegExp]>([
    ["newId", { newId: undefined }, /^createRegistry: newId must be a function that gives a new UUIDv7/],
    ["clock", { clock: undefined }, /^createRegistry: clock must be a function that tells the present/],
    ["a clock that is a function", { clock: new Date(0) }, /^createRegistry: clock must be a function/],
    ["store", { store: undefined }, /^createRegistry: store must be a store/],
    [
      "a store that is one",
      { store: {} },
      /^createRegistry: store must be a store, such as createMemoryStore/,
    ],
    [
      "a store that was waited for",
      { store: Promise.resolve(createMemoryStore()) },
      /what openSqliteStore resolves/,
    ],
    ["both functions", { clock: 1, newId: 1 }, /clock must be .*; newId must be /],
    [
      "members that may be restricted",
      { policies: { restrictedWrites: ["active", "name"] } },
      /^createRegistry: restrictedWrites must be a list of identifier and active, such as \["active"\]/,
    ],
    [
      "a list of members",
      { policies: { restrictedWrites: "active" } },
      /^createRegistry: restrictedWrites must be a list/,
    ],
    [
      "a number of refused duplicates",
      { policies: { refusedDuplicates: 0 } },
      /^createRegistry: refusedDuplicates must be a whole number from 1 on/,
    ],
  ])("is refused at once: without %s", (_, without, sentence) => {
    const wrong = { ...whole, ...(without as object) };
    expect(() => createRegistry(wrong)).toThrow(TypeError);
    expect(() => createRegistry(wrong)).toThrow(sentence);
  });

  it("is refused at once: without anything", () => {
    expect(() => createRegistry(undefined as unknown as RegistryConfig)).toThrow(
      /store must be .*; clock must be .*; newId must be /,
    );
  });

  it.each<[string, object, string]>([
    [
      "a number for the instant",
      { clock: () => 5 },
      "clock must give a valid Date, such as new Date(); it gave 5.",
    ],
    [
      "a text for the instant",
      { clock: () => "2026" },
      "clock must give a valid Date, such as new Date(); it gave 2026.",
    ],
    [
      "no instant",
      { clock: () => undefined },
      "clock must give a valid Date, such as new Date(); it gave undefined.",
    ],
    [
      "a Date that is none",
      { clock: () => new Date("x") },
      "clock must give a valid Date, such as new Date(); it gave Invalid Date.",
    ],
    [
      "a number for an id",
      { newId: () => 5 },
      "newId must give a new UUIDv7 as text at each call; it gave 5.",
    ],
    [
      "an empty id",
      { newId: () => "" },
      "newId must give a new UUIDv7 as text at each call; it gave an empty one.",
    ],
    [
      "a promise of an id",
      { newId: async () => extId },
      "newId must give a new UUIDv7 as text at each call; it gave [object Promise].",
    ],
  ])("tells at the first use of what gives %s", async (_, port, sentence) => {
    const view = createRegistry({ ...whole, store: createMemoryStore(), ...port }).as(operator);
    await expect(view.individuals.create(person)).rejects.toThrow(
      new TypeError(`createRegistry: ${sentence}`),
    );
  });
});

describe("what else takes options", () => {
  const registry = { store: createMemoryStore(), clock: () => new Date(0), newId: () => extId };
  const watch = { tell: () => undefined };
  it.each<[string, () => unknown, RegExp]>([
    [
      "verifyRegistry",
      () => verifyRegistry({} as RegistryConfig, watch),
      /^verifyRegistry: store must be a store.*clock/,
    ],
    [
      "verifyRegistry",
      () => verifyRegistry(registry, undefined as never),
      /^verifyRegistry: tell must be a function/,
    ],
    [
      "reindexRegistry",
      () => reindexRegistry(undefined as never, watch),
      /^reindexRegistry: store must be a store/,
    ],
    [
      "createMemoryStore",
      async () => createMemoryStore({ medium: {} as MemoryMedium }),
      /^createMemoryStore: medium must be what createMemoryMedium makes\.$/,
    ],
  ])("%s refuses what it can't work with", async (_, call, sentence) => {
    await expect(call()).rejects.toThrow(sentence);
    await expect(call()).rejects.toThrow(TypeError);
  });
});
