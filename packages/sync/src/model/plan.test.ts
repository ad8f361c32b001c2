import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type EntrySummary, plan } from "./plan.ts";

const now = "2026-01-15T08:00:00.000Z";
const later = "2026-01-15T08:05:00.000Z";

function entry(id: string, rest: Partial<EntrySummary> = {}): EntrySummary {
  return {
    id,
    state: "pending",
    attempts: 0,
    nextAttemptAt: null,
    since: now,
    provides: [],
    needs: [],
    ...rest,
  };
}

const person = entry("Individual/1", { provides: ["I|1"] });
const household = entry("Group/1", { provides: ["G|1"], needs: ["I|1"] });
const enrollment = entry("ProgramMembership/1", { needs: ["G|1", "P|1"] });

describe("a press by hand", () => {
  const late = entry("a", { nextAttemptAt: later });
  it.each([
    ["tries what was put off", { eager: true }, ["a"]],
    ["tries nothing twice", { eager: true, tried: new Set(["a"]) }, []],
    ["is another thing than a run that is due", { tried: new Set<string>() }, []],
  ])("%s", (_, options, ready) => {
    expect(plan([late], now, options).ready).toEqual(ready);
  });

  it("tries again what is due", () => {
    expect(plan([entry("a")], now, { eager: true, tried: new Set(["a"]) }).ready).toEqual(["a"]);
  });
});

const cases: readonly [string, readonly EntrySummary[], readonly string[]][] = [
  ["sends what depends on nothing", [person], ["Individual/1"]],
  [
    "sends photos last",
    [{ ...entry("Individual/0"), photo: "only" }, { ...entry("Individual/00"), photo: "also" }, person],
    ["Individual/1", "Individual/0", "Individual/00"],
  ],
  ["holds a household back until its people are there", [household, person], ["Individual/1"]],
  ["holds an enrollment back until the household is there", [enrollment, household], ["Group/1"]],
  ["sends what needs only records the server has", [enrollment], ["ProgramMembership/1"]],
  [
    "holds back what depends on a parked create, and nothing else",
    [{ ...person, state: "parked" }, household, entry("Individual/2")],
    ["Individual/2"],
  ],
  [
    "goes on with a request under way, whatever it needs by now",
    [person, { ...household, state: "sending" }],
    ["Group/1", "Individual/1"],
  ],
  [
    "holds an identifier's new holder back until the old one gave it up",
    [entry("a", { provides: ["I|C"] }), entry("b", { since: later, releases: ["I|C"] })],
    ["b"],
  ],
  [
    "does not wait for a record that is parked to give up an identifier",
    [entry("a", { provides: ["I|C"] }), entry("b", { state: "parked", releases: ["I|C"] })],
    ["a"],
  ],
  [
    "sends both records that exchange identifiers",
    [
      entry("a", { provides: ["I|C"], releases: ["I|D"] }),
      entry("b", { provides: ["I|D"], releases: ["I|C"] }),
    ],
    ["a", "b"],
  ],
  [
    "sends what gives up an identifier to a record that it needs",
    [entry("a", { provides: ["I|C"] }), entry("b", { releases: ["I|C"], needs: ["I|C"] })],
    ["a"],
  ],
  ["waits for the delay of an entry", [entry("a", { nextAttemptAt: later }), entry("b")], ["b"]],
  [
    "does not wait for a clock that was put back",
    [entry("a", { nextAttemptAt: "2026-01-19T08:00:00.000Z" })],
    ["a"],
  ],
  ["sends the oldest first", [entry("a", { since: later }), entry("b")], ["b", "a"]],
  [
    "sends what failed after what is fresh",
    [entry("a", { attempts: 3 }), entry("b", { since: later })],
    ["b", "a"],
  ],
];

describe("plan", () => {
  it.each(cases)("%s", (_name, entries, ready) => {
    expect(plan(entries, now).ready).toEqual(ready);
  });

  it("leaves a photo by itself for later where none are to be sent, and holds up nothing for it", () => {
    const entries = [
      entry("a", { photo: "only", provides: ["R1"], nextAttemptAt: later }),
      entry("b", { photo: "only", state: "sending" }),
      entry("c", { photo: "also" }),
    ];
    expect(plan(entries, now, { photos: false })).toEqual({
      ready: ["b", "c"],
      blocked: [],
      nextAt: null,
      introduces: false,
    });
  });

  it("tells when the first entry that was put off is due, and ignores delays when asked to", () => {
    const entries = [entry("a", { nextAttemptAt: later })];
    expect(plan(entries, now)).toMatchObject({ ready: [], nextAt: later });
    expect(plan(entries, now, { eager: true }).ready).toEqual(["a"]);
  });

  it("ends: sending what is ready, round by round, sends everything, each after what it needs", () => {
    const chain = fc.array(fc.array(fc.nat(30), { maxLength: 3 }), { maxLength: 20 });
    fc.assert(
      fc.property(chain, (needs) => {
        let left = needs.map((own, i) =>
          entry(`${i}`, { provides: [`R${i}`], needs: own.filter((n) => n < i).map((n) => `R${n}`) }),
        );
        const sent = new Set<string>();
        for (let round = 0; left.length > 0; round++) {
          expect(round).toBeLessThanOrEqual(needs.length);
          for (const id of plan(left, now).ready) {
            for (const n of left.find((one) => one.id === id)?.needs ?? []) expect(sent).toContain(n);
            sent.add(`R${id}`);
          }
          left = left.filter(({ id }) => !sent.has(`R${id}`));
        }
      }),
    );
  });
});
