import { describe, expect, it } from "vitest";
import { newLedger, noteDeed, noteTold, type State, settle } from "../../.scripts/concurrency/ledger.ts";

interface Case {
  readonly name: string;
  readonly deeds: readonly (readonly [writer: string, key: string, version: State])[];
  readonly told: readonly (readonly [key: string, state: State])[];
  readonly stored: Readonly<Record<string, number>>;
  readonly says: RegExp;
}

const written = [
  ["w0", "a", 1],
  ["w1", "a", 2],
] as const;
const cases: readonly Case[] = [
  {
    name: "two winners of one version",
    deeds: [...written, ["w2", "a", 2]],
    told: [["a", 2]],
    stored: { a: 2 },
    says: /a: w1 and w2 both made version 2/,
  },
  {
    name: "a version that nobody made",
    deeds: [written[0], ["w1", "a", 3]],
    told: [["a", 3]],
    stored: { a: 3 },
    says: /nobody made version 2/,
  },
  {
    name: "an acknowledged version that is not stored",
    deeds: written,
    told: [["a", 2]],
    stored: { a: 1 },
    says: /the store has 1, acknowledged was 2/,
  },
  {
    name: "a removal undone",
    deeds: [...written, ["w1", "a", "gone"]],
    told: [["a", "gone"]],
    stored: { a: 2 },
    says: /the store has 2, acknowledged was gone/,
  },
  {
    name: "a document that nobody wrote",
    deeds: written,
    told: [["a", 2]],
    stored: { a: 2, b: 1 },
    says: /b: stored/,
  },
  {
    name: "a change that a reader missed",
    deeds: written,
    told: [["a", 1]],
    stored: { a: 2 },
    says: /r was told 1, not 2/,
  },
  {
    name: "a document that a reader missed",
    deeds: written,
    told: [],
    stored: { a: 2 },
    says: /r was told nothing, not 2/,
  },
  {
    name: "a change told twice",
    deeds: written,
    told: [
      ["a", 2],
      ["a", 2],
    ],
    stored: { a: 2 },
    says: /told 2 after 2/,
  },
  {
    name: "versions in the wrong order",
    deeds: written,
    told: [
      ["a", 2],
      ["a", 1],
      ["a", 2],
    ],
    stored: { a: 2 },
    says: /told 1 after 2/,
  },
  {
    name: "news of what is gone",
    deeds: written,
    told: [
      ["a", "gone"],
      ["a", 2],
    ],
    stored: { a: 2 },
    says: /told 2 after gone/,
  },
];

function violationsOf({ deeds, told, stored }: Omit<Case, "name" | "says">): readonly string[] {
  const ledger = newLedger();
  for (const [writer, key, version] of deeds) {
    const deed =
      version === "gone" ? { put: [], removed: [key] } : { put: [[key, version] as const], removed: [] };
    noteDeed(ledger, writer, deed);
  }
  for (const [key, state] of told) noteTold(ledger, "r", key, state);
  settle(ledger, ["r"], new Map(Object.entries(stored)));
  return ledger.violations;
}

describe("the ledger of writers and readers", () => {
  it("has nothing against versions that readers were told in order, some of them left out", () => {
    const deeds = [...written, ["w0", "b", 1], ["w1", "b", "gone"]] as const;
    const told = [
      ["a", 1],
      ["b", "gone"],
      ["a", 2],
    ] as const;
    expect(violationsOf({ deeds, told, stored: { a: 2 } })).toEqual([]);
  });

  it.each(cases)("names $name", ({ deeds, told, stored, says }) => {
    expect(violationsOf({ deeds, told, stored }).join("\n")).toMatch(says);
  });
});
