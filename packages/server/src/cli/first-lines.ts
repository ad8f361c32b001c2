import { identifiersOf, type JsonObject } from "@fieldroll/core";
import type { RecordLine } from "./import-lines.ts";

/** Remembers which line of a file a record came with first; for lines of one type. */
export interface FirstLines {
  /** The number of an earlier line for the same record; without one, the line is the first and is remembered. */
  earlierThan(line: RecordLine): number | undefined;
}

/** Begins with no lines. */
export function createFirstLines(): FirstLines {
  const first = new Map<string, number>();
  return {
    earlierThan({ line, type, record, extId }) {
      const names = identifiersOf(record).map(({ system, value }) => `${system}|${value}`);
      for (const name of ["id", "ext_id", "ern"]) {
        if (typeof record[name] === "string") names.push(`${name} ${record[name]}`);
      }
      if (extId !== undefined) names.push(`ext_id ${extId}`);
      if (type === "ProgramMembership") names.push(...placeOf(record));
      const earlier = names.find((name) => first.has(name));
      if (earlier !== undefined) return first.get(earlier);
      for (const name of names) first.set(name, line);
      return undefined;
    },
  };
}

/** A beneficiary has one enrollment in a program, whatever its identifier. */
function placeOf(record: JsonObject): readonly string[] {
  const program = referenceIn(record.program);
  const beneficiary = referenceIn(record.beneficiary);
  return program === undefined || beneficiary === undefined ? [] : [`${program}\n${beneficiary}`];
}

/** What a member of the type Reference refers to, as it is written. */
export function referenceIn(value: JsonObject[string] | undefined): string | undefined {
  const reference = (value as { reference?: unknown } | null | undefined)?.reference;
  return typeof reference === "string" ? reference : undefined;
}
