import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import {
  changing,
  creating,
  type Doors,
  openDoors,
  seed,
  taken,
  type Verdict,
} from "./test-support/doors.ts";
import { ofEnrollments } from "./test-support/enrollment-rules.ts";
import { base, ofGroups, ofHouseholds, ofPersons, ofPrograms, type Rule } from "./test-support/rules.ts";

const rules = [...ofPersons, ...ofGroups, ...ofHouseholds, ...ofPrograms, ...ofEnrollments];

/** Over HTTP and in bundles there is no POST of a Program, and no PATCH of a membership. */
function isOpen(door: string, { type }: JsonObject): boolean {
  if (type === "Program") return /^library|^import/.test(door);
  return type !== "ProgramMembership" || !door.startsWith("PATCH");
}

async function open({ policies }: Rule, ...more: readonly JsonObject[]): Promise<Doors> {
  const doors = await openDoors(policies);
  await seed(doors, ...base, ...more);
  return doors;
}

/** What the library says of the same, in words, which an import tells too. */
async function wordsOf(rule: Rule): Promise<string> {
  const { violating, before, only } = rule;
  if (only !== "changes") return (await creating.library?.(await open(rule), violating))?.words ?? "";
  const after = { before: before ?? violating, after: violating };
  return (await changing.library?.(await open(rule, before ?? violating), after))?.words ?? "";
}

async function expectRefused(
  rule: Rule,
  {
    door,
    doors,
    ask,
  }: { readonly door: string; readonly doors: Doors; readonly ask: () => Promise<Verdict> },
): Promise<void> {
  const there = await doors.everything();
  const verdict = await ask();
  if (door !== "import") expect(verdict.faults).toEqual(rule.faults);
  else expect(verdict.words).toBe(rule.ofTheMove ? "" : await wordsOf(rule));
  if (door !== "import" || !rule.ofTheMove) expect(await doors.everything()).toBe(there);
}

describe.each(rules.filter(({ only }) => only !== "changes"))("$rule, of a new record", (rule) => {
  const through = Object.keys(creating).filter((door) => isOpen(door, rule.sound));
  it.each(through)("by %s", async (door) => {
    const doors = await open(rule);
    const ask = (body: JsonObject) => creating[door]?.(doors, body) ?? Promise.resolve(taken);
    await expectRefused(rule, { door, doors, ask: () => ask(rule.violating) });
    expect(await ask(rule.sound)).toEqual(taken);
    expect(await doors.everything()).toContain(JSON.stringify(rule.sound.identifier));
  });
});

describe.each(rules.filter(({ only }) => only !== "creates"))("$rule, of a change", (rule) => {
  const through = Object.keys(changing).filter((door) => isOpen(door, rule.sound));
  it.each(through)("by %s", async (door) => {
    const before = rule.before ?? rule.sound;
    const doors = await open(rule, before);
    const ask = (after: JsonObject) => changing[door]?.(doors, { before, after }) ?? Promise.resolve(taken);
    await expectRefused(rule, { door, doors, ask: () => ask(rule.violating) });
    expect(await ask(rule.sound)).toEqual(taken);
  });
});
