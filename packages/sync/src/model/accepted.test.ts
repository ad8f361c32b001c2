import { type JsonObject, type ResourceType, sameJson } from "@fieldroll/core";
import { arbitraryGroup, arbitraryIndividual, perturb } from "@fieldroll/core/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Accepted, folded, withAccepted } from "./accepted.ts";
import { doneAgain, takenBack } from "./redo.ts";

const at = "2026-01-15T08:00:00.000Z";

/** An accepted request that changed one copy to another. */
function change(from: JsonObject, to: JsonObject, version: number, epoch = "e"): Accepted {
  const members = Object.keys({ ...from, ...to }).filter((name) => !sameJson(from[name], to[name]));
  const only = (record: JsonObject) =>
    Object.fromEntries(Object.entries(record).filter(([name]) => members.includes(name)));
  const reference = `${typeOf(to)}/urn:x|1`;
  const edit = { id: `e${version}`, at, by: "t" };
  return { epoch, versionId: version, reference, at, edit, before: only(from), after: only(to) };
}

const typeOf = (record: JsonObject) => record.type as ResourceType;

const records: fc.Arbitrary<JsonObject> = fc.oneof<fc.Arbitrary<JsonObject>[]>(
  arbitraryIndividual,
  arbitraryGroup(),
);

/** A record, and what it was after each of so many rounds of edits. */
const histories = (rounds: number): fc.Arbitrary<readonly JsonObject[]> =>
  records.chain((record) => {
    let histories: fc.Arbitrary<readonly JsonObject[]> = fc.constant([record]);
    for (let i = 0; i < rounds; i++)
      histories = histories.chain((known) =>
        perturb(known.at(-1) ?? record, 2).map((next) => [...known, next]),
      );
    return histories;
  });

describe("two accepted changes as one", () => {
  const name = (family: string): JsonObject => ({ type: "Individual", name: { family } });
  const [cruz, reyes] = [name("Cruz"), name("Reyes")];
  const both = (former: Accepted, later: Accepted) => folded(former, later)?.both;

  it("are what the two changed, as they were and as they are, and the later edit", () => {
    const former = { ...change({ ...cruz, gender: "f" }, { ...reyes, active: true }, 2), isPart: true };
    const later = change({ ...reyes, active: true }, { ...name("Santos"), birthDate: "1990-01-01" }, 3);
    expect(both({ ...former, who: cruz }, later)).toEqual({
      ...later,
      who: cruz,
      before: { name: { family: "Cruz" }, gender: "f" },
      after: { name: { family: "Santos" }, birthDate: "1990-01-01" },
    });
  });

  it("are not what others changed in between", () => {
    const calls = (...values: string[]) => ({
      ...cruz,
      telecom: values.map((value) => ({ system: "phone", value })),
    });
    const [former, later] = [change(cruz, calls("a"), 2), change(calls("a", "b"), calls("a", "b", "c"), 4)];
    expect(both(former, later)?.before).toEqual({ telecom: calls("b").telecom });
  });

  it.each([
    ["of two states of the data", change(cruz, reyes, 2, "former"), change(reyes, cruz, 3)],
    ["of which one made the record", { ...change(cruz, reyes, 2), before: null }, change(reyes, cruz, 3)],
    [
      "of which the later one gave it back",
      change(cruz, reyes, 2),
      { ...change(reyes, cruz, 3), before: null },
    ],
  ])("are none %s", (_, former, later) => {
    expect(folded(former, later)).toBeUndefined();
  });

  it.each([
    ["that leave nothing of the former to be missed", change(reyes, { ...reyes, active: true }, 3), true],
    ["of which the later takes the former back", change(reyes, cruz, 3), false],
    ["of which one brings a photo", change(reyes, { ...reyes, photo: {} }, 3), false],
  ])("are safe or not: %s", (_, later, isSafe) => {
    expect(folded(change(cruz, reyes, 2), later)?.isSafe).toBe(isSafe);
  });

  it("are taken back as the two are, also where others changed the same in between", {
    timeout: 30_000,
  }, () => {
    fc.assert(
      fc.property(histories(3), ([start = {}, one = {}, others = {}, end = {}]) => {
        const [former, later] = [change(start, one, 2), change(others, end, 4)];
        // What others changed after the former alone stays in either way, and with it what stands or falls with that.
        const isAlone = (name: string) => !(name in { ...later.before, ...later.after });
        const alone = Object.keys({ ...former.before, ...former.after }).filter(isAlone);
        fc.pre(alone.every((name) => sameJson(one[name], others[name])));
        const fold = both(former, later);
        const type = typeOf(start);
        expect(takenBack(type, end, fold ? [fold] : [])).toEqual(takenBack(type, end, [former, later]));
      }),
      { numRuns: 400 },
    );
  });

  it("are done again as the two are", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(histories(2), ([start = {}, between = {}, end = {}]) => {
        const fold = both(change(start, between, 2), change(between, end, 3));
        expect(doneAgain(typeOf(start), start, fold ? [fold] : [])).toEqual(end);
      }),
      { numRuns: 400 },
    );
  });

  it("are given again to a backup from in between where that is safe", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(histories(2), ([start = {}, between = {}, end = {}]) => {
        const fold = folded(change(start, between, 2), change(between, end, 3));
        fc.pre(fold?.isSafe === true);
        expect(doneAgain(typeOf(start), between, fold ? [fold.both] : [])).toEqual(end);
      }),
      { numRuns: 400 },
    );
  });
});

describe("what is kept of a record with more than fifty accepted changes", () => {
  it("is bounded, and comes to what they came to", { timeout: 30_000 }, () => {
    fc.assert(
      fc.property(histories(70), (history) => {
        const [start = {}, end = {}] = [history[0], history.at(-1)];
        const type = typeOf(start);
        const all = history.slice(1).map((next, i) => change(history[i] ?? {}, next, i + 2));
        const kept = all.reduce(withAccepted, [] as readonly Accepted[]);
        expect(kept).toHaveLength(50);
        expect(kept.at(-1)).toEqual(all.at(-1));
        expect(takenBack(type, end, kept)).toEqual(takenBack(type, end, all));
        expect(doneAgain(type, start, kept)).toEqual(doneAgain(type, start, all));
      }),
      { numRuns: 20 },
    );
  });

  it("is all of them where each was accepted by another state of the data", () => {
    const all = Array.from({ length: 60 }, (_, i) =>
      change({ type: "Individual" }, { type: "Individual", birthDate: "1990-01-01" }, 2, `e${i}`),
    );
    expect(all.reduce(withAccepted, [] as readonly Accepted[])).toEqual(all);
  });
});
