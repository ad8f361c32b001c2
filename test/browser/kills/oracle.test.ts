import type { Individual } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { differences, missing, type Outcome, violations } from "../../../.scripts/kills/oracle.ts";
import { listenTo, noPromises } from "../../../.scripts/kills/promises.ts";
import type { Exchange } from "./stage/gate.ts";
import { addToken } from "./stage/tokens.ts";

const reference = "Individual/urn:person|1";

function personWith(...tokens: string[]): Individual {
  const person: Individual = {
    type: "Individual",
    identifier: [{ system: "urn:person", value: "1" }],
    active: true,
    name: { given: "Ana" },
    meta: { versionId: "2", lastUpdated: "2026-01-01T00:00:00.000Z", source: "urn:x" },
  };
  return tokens.reduce(addToken, person);
}

const write: Exchange = {
  key: "key-1",
  method: "PATCH",
  path: "/Individual/urn:person|1",
  body: "{}",
  status: 200,
  replayed: false,
  reference,
  version: 2,
};

/** One edit was begun, promised and sent. */
function outcome(change: Partial<Outcome> = {}): Outcome {
  const promises = noPromises();
  const heard = listenTo(promises, () => undefined);
  heard.begun("t1", reference);
  heard.done("t1", reference);
  return {
    everyone: [personWith("t1")],
    ledger: [write],
    office: new Map(),
    promises: [promises],
    ...change,
  };
}

describe("the judge of kills", () => {
  it("finds nothing wrong where every promise was kept once", () => {
    expect(violations(outcome())).toEqual([]);
    const replay = { ...write, replayed: true };
    expect(violations(outcome({ ledger: [write, replay, { ...write, key: "2", status: 409 }] }))).toEqual([]);
  });

  const wrong: readonly (readonly [string, Partial<Outcome>, RegExp])[] = [
    ["an edit that is not there", { everyone: [personWith()] }, /^lost: t1/],
    ["a record that is not there", { everyone: [] }, /^lost: Individual.* is not there/],
    ["an edit that is there twice", { everyone: [personWith("t1", "t1")] }, /twice in a record/],
    ["an edit that nobody made", { everyone: [personWith("t1", "t2")] }, /nobody made t2/],
    [
      "a value of the office's that was overwritten",
      { office: new Map([[reference, { given: "Office 1", times: 0 }]]) },
      /Office 1 of .* is gone/,
    ],
    [
      "a request that changed",
      { ledger: [write, { ...write, body: "{ }", replayed: true }] },
      /another content/,
    ],
    ["a request that had its effect twice", { ledger: [write, { ...write, version: 3 }] }, /effect twice/],
    ["a version made twice", { ledger: [write, { ...write, key: "key-2" }] }, /the same version/],
    ["a write that the ledger has not", { ledger: [] }, /version 2 after 1 writes/],
  ];
  it.each(wrong)("finds %s", (_name, change, expected) => {
    expect(violations(outcome(change))).toContainEqual(expect.stringMatching(expected));
  });

  it("finds what a device does not show, or shows otherwise than the server", () => {
    const { promises } = outcome();
    expect(missing(promises[0] ?? noPromises(), () => ["t2"])).toEqual([`t1 in ${reference}`]);
    expect(differences([personWith("t1")], [personWith("t1")])).toEqual([]);
    expect(differences([personWith("t1")], [personWith()])).toHaveLength(1);
    expect(differences([], [personWith()])).toHaveLength(1);
  });
});
