import { describe, expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createMemoryStore } from "../../store/memory.ts";
import type { Commit, Store } from "../../store/port.ts";
import type { RegistryView } from "../types.ts";
import {
  add,
  adding,
  bundle,
  enrollment,
  entry,
  everything,
  group,
  open,
  p1,
  p2,
  patch,
  person,
  problemOf,
  statuses,
} from "./test-bundles.ts";

function watched(): { readonly store: Store; readonly commits: Commit[] } {
  const inner = createMemoryStore();
  const commits: Commit[] = [];
  const commit: Store["commit"] = (one) => {
    commits.push(one);
    return inner.commit(one);
  };
  return { store: { ...inner, commit }, commits };
}

const versionsOf = async (view: RegistryView, address: string) =>
  unwrap(await view.individuals.history(address)).data.map(({ versionId, action, changes }) => [
    versionId,
    action,
    ...changes.map(({ field }) => field).filter((field) => field.startsWith("/birthDate")),
  ]);

describe("a transaction that names a record several times", () => {
  it("does its changes one after the other, in one commit", async () => {
    const { store, commits } = watched();
    const { view } = await open(store);
    commits.length = 0;
    const answer = await view.batch(
      bundle(
        "transaction",
        entry("POST Individual", person("3")),
        patch("3", { name: { given: "Eva" } }, "1"),
        patch("3", { birthDate: "2000-01-01" }, '"2"'),
        patch("1", { birthDate: "1980-01-01" }, "1"),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 200, 200]);
    const { responses } = unwrap(answer);
    expect(responses.map(({ versionId }) => versionId)).toEqual(["1", "2", "3", "2"]);
    expect(responses[1]?.resource).toMatchObject({ name: { family: "Reyes", given: "Eva" } });
    expect(responses[1]?.resource).not.toHaveProperty("birthDate");
    expect(commits).toHaveLength(1);
    const record = commits[0]?.put?.filter(({ collection }) => collection === "Individual");
    expect(record?.map(({ version }) => version)).toEqual([1, 2]);
    expect(unwrap(await view.individuals.read("urn:gov:id|3"))).toMatchObject({
      name: { family: "Reyes", given: "Eva" },
      birthDate: "2000-01-01",
      meta: { versionId: "3" },
    });
  });

  it("leaves a version in the history for each change", async () => {
    const { view } = await open();
    unwrap(
      await view.batch(
        bundle(
          "transaction",
          entry("POST Individual", person("3")),
          patch("3", { birthDate: "2000-01-01" }),
          patch("3", { birthDate: null }),
        ),
      ),
    );
    expect(await versionsOf(view, "urn:gov:id|3")).toEqual([
      ["3", "change", "/birthDate"],
      ["2", "change", "/birthDate"],
      ["1", "create"],
    ]);
  });

  it("adds several members to one group, whoever of them it creates itself", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        "transaction",
        add({ entity: { reference: p1 } }),
        add(adding("2")),
        add({ entity: { reference: p2 } }),
        entry("POST Individual", person("3"), { fullUrl: p1 }),
        entry("POST Individual", person("4"), { fullUrl: p2 }),
        entry("POST Group/urn:service:group|a/$remove-member", adding("1")),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 201, 201, 201, 200]);
    expect(unwrap(await view.groups.read("urn:service:group|a"))).toMatchObject({
      quantity: 3,
      meta: { versionId: "5" },
    });
  });

  it("adds members to a group that it creates, and enrolls the group", async () => {
    const { view } = await open();
    const answer = await view.batch(
      bundle(
        "transaction",
        entry("POST ProgramMembership", enrollment(p1)),
        entry("POST Group", group("g"), { fullUrl: p1 }),
        add(adding("1"), "g"),
        add(adding("2"), "g"),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 201, 201]);
    expect(unwrap(await view.groups.read("urn:service:group|g")).quantity).toBe(2);
  });

  it("knows a record by each of its identifiers, also by those that it gives it", async () => {
    const { view } = await open();
    const identifier = [
      { system: "urn:gov:id", value: "1" },
      { system: "urn:card", value: "c" },
    ];
    const answer = await view.batch(
      bundle(
        "transaction",
        patch("1", { identifier }),
        entry("PATCH Individual/urn:card|c", { birthDate: "1980-01-01" }, { ifMatch: "2" }),
      ),
    );
    expect(statuses(answer)).toEqual([200, 200]);
    const again = await view.batch(
      bundle(
        "transaction",
        patch("1", { name: { given: "Ana" } }, "3"),
        entry("PATCH Individual/urn:card|c", { birthDate: "1981-01-01" }, { ifMatch: "4" }),
      ),
    );
    expect(statuses(again)).toEqual([200, 200]);
  });

  it("merges and splits groups that it changed or made before", async () => {
    const { view } = await open();
    const merge = { source: { reference: p1 }, target: { reference: "Group/urn:service:group|a" } };
    const split = {
      identifier: [{ system: "urn:service:group", value: "new" }],
      name: "New",
      members: [{ reference: "Individual/urn:gov:id|2" }],
    };
    const answer = await view.batch(
      bundle(
        "transaction",
        entry("POST Group", group("b", "Individual/urn:gov:id|2"), { fullUrl: p1 }),
        entry("POST Group/$merge", merge),
        entry("POST Group/urn:service:group|a/$split", split),
        entry("POST Individual", person("3")),
        add(adding("3"), "new"),
      ),
    );
    expect(statuses(answer)).toEqual([201, 200, 201, 201, 201]);
    expect(unwrap(await view.groups.read("urn:service:group|new"))).toMatchObject({
      quantity: 2,
      meta: { versionId: "2" },
    });
    expect(unwrap(await view.groups.read("urn:service:group|b")).active).toBe(false);
  });

  it.each([
    ["a version that an earlier entry replaced", patch("1", { birthDate: "1981-01-01" }, "1"), "conflict"],
    ["a fault", patch("1", { birthDate: "soon" }), "validation"],
    ["an identifier that is taken", patch("1", { identifier: person("2").identifier ?? null }), "duplicate"],
    [
      "an identifier that the bundle gave",
      patch("1", { identifier: person("3").identifier ?? null }),
      "duplicate",
    ],
  ])("is refused whole for %s, naming the entry", async (_name, bad, kind) => {
    const { view } = await open();
    const before = await everything(view);
    const problem = problemOf(
      await view.batch(
        bundle(
          "transaction",
          entry("POST Individual", person("3")),
          patch("1", { birthDate: "1980-01-01" }, "1"),
          bad,
        ),
      ),
    );
    expect(problem).toMatchObject({ kind, entry: 2 });
    expect(await everything(view)).toEqual(before);
  });

  it("has one effect under one idempotency key", async () => {
    const { view } = await open();
    const idempotency = { key: "k", fingerprint: "f" };
    const body = bundle(
      "transaction",
      entry("POST Individual", person("3")),
      patch("3", { birthDate: "2000-01-01" }, "1"),
    );
    const first = unwrap(await view.batch(body, { idempotency }));
    expect(unwrap(await view.batch(body, { idempotency }))).toEqual({ ...first, replayed: true });
  });

  it("begins anew when somebody else was faster", async () => {
    const inner = createMemoryStore();
    let meddle: (() => Promise<unknown>) | undefined;
    const store: Store = {
      ...inner,
      commit: async (commit) => {
        const first = meddle;
        meddle = undefined;
        await first?.();
        return inner.commit(commit);
      },
    };
    const { view } = await open(store);
    meddle = () => view.individuals.patch("urn:gov:id|1", { name: { given: "Ana" } }, { ifMatch: "*" });
    const answer = await view.batch(
      bundle("transaction", patch("1", { birthDate: "1980-01-01" }), patch("1", { gender: null })),
    );
    expect(unwrap(answer).responses.map(({ versionId }) => versionId)).toEqual(["3", "3"]);
    expect(unwrap(await view.individuals.read("urn:gov:id|1"))).toMatchObject({
      name: { given: "Ana" },
      birthDate: "1980-01-01",
    });
  });

  it("lets a caller bound by consent refer to what it creates itself, in a group that it changes again", async () => {
    const { view, as } = await open();
    const terms = {
      subject: { reference: "Group/urn:service:group|a" },
      grantee: { organization: "Aid" },
      scope: [{ resourceType: "all", fieldAccess: "all" }],
    };
    unwrap(await view.consents.grant(terms));
    const bound = as({ organization: "Aid", legalBasis: "consent" });
    const answer = await bound.batch(
      bundle(
        "transaction",
        entry("POST Individual", person("3"), { fullUrl: p1 }),
        entry("POST Individual", person("4"), { fullUrl: p2 }),
        add({ entity: { reference: p1 } }),
        add({ entity: { reference: p2 } }),
      ),
    );
    expect(statuses(answer)).toEqual([201, 201, 201, 201]);
  });
});
