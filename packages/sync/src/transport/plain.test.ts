import { describe, expect, it } from "vitest";
import { isPlainEpoch } from "../model/plain-epoch.ts";
import { kindIn, kindOfEpoch, type PlainServer, searchChanges } from "./plain.ts";
import type { Reply } from "./reply.ts";

const server: PlainServer = { plain: true, names: { Individual: "farmer,disability" } };
const ok = (body: Record<string, unknown>) => ({ kind: "ok", status: 200, body }) as Reply;
const record = {
  type: "Individual",
  identifier: [{ system: "urn:x", value: "1" }],
  meta: { versionId: "1", lastUpdated: "2026-01-15T08:00:00Z" },
};

describe("the kind of a server", () => {
  const extension = ["farmer", "disability"].map((name) => ({
    url: `urn:service:extension:${name}`,
    appliesTo: ["Individual"],
  }));

  it.each([
    ["is plain that announces no feed, with its extensions by type", { extension }, server],
    ["is plain without extensions", { extension: [] }, { plain: true, names: {} }],
    ["is not that announces a feed", { extension, features: { changes: {} } }, { plain: false }],
    ["is not known from what is no capability statement", { status: "ok" }, undefined],
  ])("%s", (_, statement, kind) => {
    expect(kindIn(statement as never)).toEqual(kind);
  });

  it("is remembered in what stands for an epoch", async () => {
    const page = await searchChanges(
      async () => ok({ data: [], pagination: { has_more: false } }),
      {
        ...{ types: ["Group"], cursor: null, limit: 5 },
      },
      server,
    );
    const epoch = page && "epoch" in page ? page.epoch : "";
    expect(isPlainEpoch(epoch)).toBe(true);
    expect(kindOfEpoch(epoch)).toEqual(server);
    expect(kindOfEpoch("0190-a-feed")).toEqual({ plain: false });
    expect(kindOfEpoch(null)).toBeUndefined();
  });
});

describe("a search for what changed", () => {
  const search = (answer: Reply, types = ["Individual"]) => {
    const asked: string[] = [];
    const get = async (path: string) => {
      asked.push(path);
      return answer;
    };
    const request = { types: types as never, cursor: null, limit: 5 };
    return searchChanges(get, request, server).then((page) => ({ page, asked }));
  };

  it("asks for a page with the extensions that the type has", async () => {
    const { page, asked } = await search(ok({ data: [record], pagination: { has_more: false } }));
    expect(asked).toEqual(["/Individual?limit=5&_extensions=farmer%2Cdisability"]);
    expect(page).toMatchObject({
      more: false,
      items: [{ reference: "Individual/urn:x|1", change: "upsert" }],
    });
  });

  it.each([
    ["says neither that there is more nor that there is not", { data: [], pagination: {} }],
    ["has no pagination", { data: [] }],
    ["says that there is more and not where", { data: [], pagination: { has_more: true } }],
    ["has a record that can't be read", { data: [{ type: "Group" }], pagination: { has_more: false } }],
  ])("takes no page that %s", async (_, body) => {
    expect((await search(ok(body))).page).toBeNull();
  });

  it.each<[string, string[], Partial<Reply>, boolean]>([
    ["reads on without programs where there are none", ["Program"], { problem: "not-found" }, true],
    [
      "reads on without programs that need a scope",
      ["Program"],
      { problem: "authorization", missingScope: "x" },
      true,
    ],
    ["does not read on without people", ["Individual"], { problem: "not-found" }, false],
    ["does not read on after another refusal", ["Program"], { problem: "bad-request" }, false],
  ] as never)("%s", async (_, types, problem, readsOn) => {
    const refusal = {
      kind: "problem",
      status: 400,
      detail: "",
      errors: [],
      existing: null,
      missingScope: null,
    };
    const { page } = await search({ ...refusal, ...problem } as Reply, types);
    expect(page !== null && "items" in page).toBe(readsOn);
  });
});
