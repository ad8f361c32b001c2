import { describe, expect, it } from "vitest";
import { type Outcome, unwrap } from "../problem.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store } from "../store/port.ts";
import { createTestRegistry, type TestRegistryOptions } from "../testing/test-registry.ts";
import type { RegistryView } from "./types.ts";

/** A store that notes what it is asked for: the kind of call and how many things it names. */
function countingStore(): { readonly store: Store; readonly calls: string[] } {
  const inner = createMemoryStore();
  const calls: string[] = [];
  const noted = <T>(call: string, answer: T): T => {
    calls.push(call);
    return answer;
  };
  const store: Store = {
    get: (keys) => noted(`get ${keys.length}`, inner.get(keys)),
    resolve: (claims) => noted(`resolve ${claims.length}`, inner.resolve(claims)),
    query: (query) => noted(`query ${query.collection}`, inner.query(query)),
    changes: (request) => noted("changes", inner.changes(request)),
    commit: (commit) =>
      noted(`commit ${(commit.put ?? []).map((p) => p.collection).join(" ")}`, inner.commit(commit)),
    close: () => inner.close(),
  };
  return { store, calls };
}

const system = "urn:gov:id";
const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system, value }],
  name: { family: "Reyes" },
});
const household = {
  type: "Group",
  identifier: [{ system, value: "1" }],
  groupType: "household",
  name: "H",
  member: [{ entity: { reference: `Individual/${system}|1` } }],
};
const program = {
  type: "Program",
  identifier: [{ system, value: "p" }],
  name: "Cash",
  targetType: "individual",
};
const enrollment = {
  type: "ProgramMembership",
  identifier: [{ system, value: "1" }],
  program: { reference: `Program/${system}|p` },
  beneficiary: { reference: `Individual/${system}|1` },
  status: "enrolled",
};

async function open(options: TestRegistryOptions = {}) {
  const { store, calls } = countingStore();
  const test = createTestRegistry({ ...options, store });
  const { view } = test;
  for (const value of ["1", "2"]) unwrap(await view.individuals.create(person(value)));
  unwrap(await view.groups.create(household));
  unwrap(await view.programs.create(program));
  unwrap(await view.memberships.create(enrollment));
  const relief = test.as({ organization: "Relief", legalBasis: "consent" });
  const callsOf = async (act: () => Promise<unknown>) => {
    calls.length = 0;
    await act();
    return [...calls];
  };
  return { ...test, relief, callsOf };
}

const reads: Readonly<Record<string, (view: RegistryView, at: string) => Promise<Outcome<unknown>>>> = {
  "an individual": (view, at) => view.individuals.read(at),
  "an individual's history": (view, at) => view.individuals.history(at),
  "a group": (view, at) => view.groups.read(at),
  "a membership": (view, at) => view.memberships.read(at),
  "a patch of an individual": (view, at) =>
    view.individuals.patch(at, { name: { family: "X" } }, { ifMatch: "*" }),
  "a patch of a group": (view, at) => view.groups.patch(at, { name: "X" }, { ifMatch: "*" }),
};

describe("a record that no consent shows", () => {
  it.each(Object.entries(reads))(
    "is %s like one that is not there, in answer and in work",
    async (_, act) => {
      const { relief, callsOf } = await open();
      const answers: string[] = [];
      const work: string[][] = [];
      for (const value of ["1", "9"]) {
        work.push(
          await callsOf(async () => {
            answers.push(
              JSON.stringify(await act(relief, `${system}|${value}`)).replaceAll(`|${value}`, "|x"),
            );
          }),
        );
      }
      expect(answers[0]).toContain("authorization");
      expect(answers[0]).toBe(answers[1]);
      expect(work[0]).toEqual(work[1]);
    },
  );

  it("is told apart for an exempt caller only", async () => {
    const { view } = await open();
    expect(await view.individuals.read(`${system}|9`)).toMatchObject({ problem: { kind: "not-found" } });
    expect((await view.individuals.read(`${system}|1`)).ok).toBe(true);
  });
});

describe("the work of an exempt caller", () => {
  it("is two calls for a read besides what rendering needs, and none for the trail", async () => {
    const { view, callsOf } = await open();
    expect(await callsOf(() => view.individuals.read(`${system}|2`))).toEqual([
      "resolve 1",
      "get 1",
      "query Group",
    ]);
  });

  it("adds one audit document to a change and nothing else", async () => {
    const audited = await open();
    const bare = await open({ policies: { audit: false } });
    const patch = (view: RegistryView) => () =>
      view.individuals.patch(`${system}|2`, { name: { family: "X" } }, { ifMatch: "*" });
    const [withTrail, without] = [
      await audited.callsOf(patch(audited.view)),
      await bare.callsOf(patch(bare.view)),
    ];
    expect(without.filter((call) => call.startsWith("commit"))).toEqual(["commit Individual"]);
    expect(withTrail).toEqual(
      without.map((call) => (call.startsWith("commit") ? "commit Individual audit" : call)),
    );
  });
});

describe("disclosure", () => {
  const grant = (view: RegistryView, more: object) =>
    view.consents.grant({
      subject: { reference: `Individual/${system}|1` },
      grantee: { organization: "Relief" },
      scope: [
        { resourceType: "Individual", fieldAccess: "custom", fields: ["name"], extensions: ["farmer"] },
      ],
      ...more,
    });

  it("tells status, scope and last day", async () => {
    const { view, relief } = await open();
    await grant(view, { expiryDate: "2026-06-30" });
    const found = unwrap(await relief.individuals.disclose(`${system}|1`));
    expect(found.disclosure).toEqual({
      status: "active",
      scope: ["type", "identifier", "name", "extension.farmer"],
      expires: "2026-06-30",
    });
    expect(found.versionId).toBe("1");
    expect(unwrap(await view.individuals.disclose(`${system}|1`)).disclosure).toEqual({
      status: "legal_basis",
      scope: ["all"],
    });
  });

  it("ends with a withdrawal at the very next read", async () => {
    const { view, relief } = await open();
    const { id } = unwrap(await grant(view, {}));
    expect((await relief.individuals.read(`${system}|1`)).ok).toBe(true);
    await view.consents.revoke(id);
    expect((await relief.individuals.read(`${system}|1`)).ok).toBe(false);
  });

  it("shows identifiers alone under the policy that does, and says so", async () => {
    const { relief } = await open({ policies: { withoutConsent: "identifiers" } });
    expect(unwrap(await relief.individuals.disclose(`${system}|1`))).toEqual({
      record: { type: "Individual", identifier: [{ system, value: "1" }], _consent: { status: "none" } },
      shows: ["type", "identifier"],
      disclosure: { status: "none", scope: [] },
    });
    expect(await relief.individuals.read(`${system}|9`)).toMatchObject({ problem: { kind: "not-found" } });
  });
});
