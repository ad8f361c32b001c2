import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../store/memory.ts";
import type { Commit } from "../../store/port.ts";
import { stagedStore } from "./staged-store.ts";

const person = { collection: "people", key: "a", version: 1, body: 1 };

describe("a staged store", () => {
  it.each([
    ["that is null", null],
    ["with claims that are a text", { put: [{ ...person, claims: "abc" }] }],
    ["with values that are a text", { put: [{ ...person, entries: { name: "abc" } }] }],
    ["with an expectation of no kind there is", { expect: [{ ...person, kind: "nonsense" }], put: [person] }],
  ])("refuses a commit %s where it is staged, and keeps nothing of it", async (_, commit) => {
    const staged = stagedStore(createMemoryStore());
    const refused = { name: "StoreError", code: "bad-request" };
    await expect(staged.commit(commit as unknown as Commit)).rejects.toMatchObject(refused);
    expect(staged.asOne()).toEqual({ expect: [], put: [], remove: [] });
  });
});
