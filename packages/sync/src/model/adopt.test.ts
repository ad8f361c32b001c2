import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { adopt } from "./adopt.ts";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { park } from "./park.ts";

const at = "2026-01-15T08:00:00.000Z";
const number = { system: "urn:nid", value: "7" };
const own = { system: "urn:service:registrant", value: "made-here" };
const meta = { versionId: "3", lastUpdated: at, source: "urn:test" };
const theirs: JsonObject = { type: "Individual", identifier: [number], name: { family: "Reyes" }, meta };
const ours: JsonObject = {
  type: "Individual",
  identifier: [own, number],
  name: { family: "Reyes", given: "Ana" },
};
const deciding = { key: "there", by: "boss", at, id: "e2", judge: () => undefined };

/** A record made here that is parked as a duplicate of `theirs`. */
function duplicate(local: JsonObject, rest: Partial<OutboxEntry> = {}): OutboxEntry {
  const change = { type: "Individual", key: "here", before: null, after: local, by: "t", at } as const;
  const parked = park("duplicate", "taken", { theirs, since: at });
  return { ...addEdit(null, change, "e1"), parked, ...rest };
}

describe("adopt", () => {
  it("goes on as an edit of the other record, without the identifier made here", () => {
    const adopted = adopt(duplicate(ours), ours, {}, deciding);
    expect(adopted).toMatchObject({
      kind: "adopted",
      entry: {
        key: "there",
        reference: "Individual/urn:nid|7",
        base: theirs,
        parked: null,
        request: null,
        edits: [{ id: "e2", by: "boss", patch: { name: { given: "Ana" } } }],
        provides: [],
      },
      record: { identifier: [number], name: { family: "Reyes", given: "Ana" }, meta },
      ended: [{ edit: { id: "e1", by: "t" }, end: "adopted" }],
    });
  });

  it("is still to be compared with the server's data where the other record was shown before it was put away", () => {
    const adopted = adopt(duplicate(ours, { epoch: "e1" }), ours, {}, deciding);
    expect(adopted).toMatchObject({ entry: { base: theirs, epoch: "e1" } });
  });

  it("has nothing to send when the other record says it all", () => {
    const { name: _, ...nameless } = ours;
    const same = { ...nameless, name: { family: "Reyes" } };
    expect(adopt(duplicate(same), same, {}, deciding)).toMatchObject({
      entry: null,
      ended: [{ end: "adopted" }],
    });
  });

  it("takes a choice for each place where both say something else", () => {
    const other = { ...ours, name: { family: "Santos" } };
    const choices = { "/name/family": "ours" } as const;
    expect(adopt(duplicate(other), other, choices, deciding)).toMatchObject({
      record: { name: { family: "Santos" } },
    });
  });

  const hidden = { theirs: null, existing: null };
  const { meta: _, ...versionless } = theirs;
  it.each<[string, Partial<OutboxEntry>, JsonObject, string]>([
    ["a record that the server has already", { base: theirs }, ours, "Both records are on the server"],
    [
      "an other record that is not shown",
      { parked: { ...park("duplicate", "", { since: at }), ...hidden } },
      ours,
      "not shown",
    ],
    [
      "an other record without its version",
      { parked: park("duplicate", "", { since: at, theirs: versionless }) },
      ours,
      "without its version",
    ],
    [
      "a record that waits for something else",
      { parked: park("rejected", "", { since: at }) },
      ours,
      "because of another one",
    ],
    ["a lacking choice", {}, { ...ours, name: { family: "Santos" } }, "/name/family"],
  ])("is refused for %s", (_name, rest, local, detail) => {
    expect(adopt(duplicate(local, rest), local, {}, deciding)).toMatchObject({
      kind: "refused",
      problem: { kind: "invalid-state", detail: expect.stringContaining(detail) },
    });
  });
});
