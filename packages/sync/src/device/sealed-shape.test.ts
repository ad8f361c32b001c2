import { type Json, type JsonObject, recordDocument } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { addEdit } from "../model/edits.ts";
import { freeze } from "../model/freeze.ts";
import { park } from "../model/park.ts";
import { isSealedWork } from "./sealed-shape.ts";

const at = "2026-01-15T08:00:00.000Z";
const identifier = [{ system: "urn:x", value: "1" }];

function person(version: number, family: string): JsonObject {
  const meta = { versionId: String(version), lastUpdated: at, source: "urn:test" };
  return { type: "Individual", identifier, name: { family }, meta };
}

const local = person(1, "Reyes");
const pending = addEdit(
  null,
  { type: "Individual", key: "k", before: person(1, "Cruz"), after: local, by: "anna", at },
  "e1",
);
const frozen = freeze(pending, local, { key: "request", at });
const request = frozen.kind === "request" ? frozen.request : null;
const { body, claims, entries } = recordDocument({
  ...{ type: "Individual", key: "k", version: 1, record: local, links: {}, feeds: [], aliases: ["here:k"] },
});

/** With one member of it changed, named by its path. */
function sealed(path = "", value?: unknown, entry: unknown = { ...pending, request }): Json {
  const work = structuredClone({ format: 1, entry, record: { body, claims, entries } });
  const names = path.split("/");
  const last = names.pop() ?? "";
  const place = names.reduce<Record<string, unknown>>(
    (within, name) => within[name] as Record<string, unknown>,
    work as unknown as Record<string, unknown>,
  );
  if (last) place[last] = value;
  return JSON.parse(JSON.stringify(work)) as Json;
}

describe("sealed work", () => {
  it.each([
    ["of an edit that is being sent", sealed()],
    ["of an edit that waits", sealed("entry/request", null)],
    ["of a record made here", sealed("entry/base", null)],
    [
      "of a record that a restored server lost, and hides",
      sealed("entry/lost", {
        type: "Individual",
        identifier,
        meta: { versionId: "0", shows: [], who: { identifier } },
      }),
    ],
    ["whose record was let go of", sealed("record", null)],
    ["with news that waits", sealed("entry/incoming", { kind: "upsert", record: person(2, "Diaz") })],
    [
      "with word that it left",
      sealed("entry/incoming", { kind: "removed", versionId: "2", reason: "archived" }),
    ],
    ["of a conflict", sealed("entry/parked", park("conflict", "", { theirs: person(2, "Diaz"), since: at }))],
    ["of a record that was lost", sealed("entry/lost", person(0, "Cruz"))],
    ["with a request that was refused", sealed("entry/earlier", { sent: local, covers: ["e1"] })],
    ["of a record that consents show in part", sealed("entry/base", { type: "Individual" })],
  ])("%s is understood", (_, work) => {
    expect(isSealedWork(work)).toBe(true);
  });

  it.each([
    ["of a later format", sealed("format", 2)],
    ["of nothing", sealed("entry", null)],
    ["of no such type", sealed("entry/type", "Person")],
    ["without a key", sealed("entry/key", "")],
    ["that changes nothing", sealed("entry", { ...pending, edits: [], request: null })],
    ["with half an edit", sealed("entry/edits", [{ id: "e1" }])],
    ["with half a request", sealed("entry/request", { key: "request" })],
    ["with a request of another method", sealed("entry/request/method", "DELETE")],
    ["with news of nothing", sealed("entry/incoming", { kind: "upsert" })],
    ["parked without a reason", sealed("entry/parked", {})],
    ["that waits for no time there is", sealed("entry/nextAttemptAt", "soon")],
    ["with attempts that can't be counted", sealed("entry/attempts", "3")],
    ["that needs what is no name", sealed("entry/needs", [1])],
    ["that means somebody by no key", sealed("entry/meant", { "Individual/a|1": 1 })],
    ["that knows nothing of whom it means", sealed("entry/whom", { k: "Ana" })],
    ["without a record in its document", sealed("record/body", {})],
    ["with a record of another type", sealed("record/body/record/type", "Group")],
    ["with claims that are none", sealed("record/claims", [null])],
    ["with entries that are none", sealed("record/entries", { name: "reyes" })],
    ["that is a text", "work"],
    ["that is not there", undefined],
  ])("%s is not", (_, work) => {
    expect(isSealedWork(work)).toBe(false);
  });
});
