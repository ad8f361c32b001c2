import {
  type FieldError,
  type JsonObject,
  merge,
  type Problem,
  type ResourceType,
  resourceShapes,
  storedForm,
} from "@fieldroll/core";
import type { EditableRecords, Held } from "@fieldroll/sync";
import { useState } from "react";
import { shownPlaces, type Versions } from "../model/questions.ts";
import { problemFaults } from "./form.ts";

/** How the edit of a form is saved. */
export interface Saving<T> {
  /** The record as it was when the form was filled from it. */
  readonly seen: T;
  /** What others changed in the same fields, when saving was refused for it; empty otherwise. */
  readonly changes: readonly Versions[];
  /** Saves `next`, made from `seen`; answers with what is wrong and `saved` when it is stored. */
  save(next: T): Promise<{ readonly saved: boolean; readonly faults: readonly FieldError[] }>;
}

/**
 * Saves a form's edit on top of what the person saw. Fields that others changed meanwhile are merged. Where both
 * changed the same field nothing is stored and the three values are given; saving again keeps the person's value
 * there, and everything else that others changed. What came into conflict only after the values were given, by a further edit,
 * is given first.
 *
 * @param taken what is wrong with a form that gives the record an identifier of another one, which is known here
 */
export function useSave<T extends { readonly type: ResourceType }>(
  records: EditableRecords<T>,
  opened: Held<T>,
  fieldOf: (pointer: string) => string,
  taken?: (holder: T) => FieldError,
): Saving<T> {
  const [seen] = useState(opened.record);
  const [newest, setNewest] = useState<T | null>(null);
  const [changes, setChanges] = useState<readonly Versions[]>([]);
  const faultsOf = async (problem: Problem) => {
    const { existing } = problem;
    const holder = taken && existing !== undefined ? await records.read(existing) : null;
    return taken && holder?.ok ? [taken(holder.value.record)] : problemFaults(problem, fieldOf);
  };
  return {
    seen,
    changes,
    async save(next) {
      const again = newest && merged(seen, next, newest);
      if (again && !again.conflicts.every(({ path }) => changes.some((shown) => shown.path === path))) {
        setChanges(again.conflicts);
        return { saved: false, faults: [] };
      }
      const wanted = again?.record ?? next;
      const outcome = await records.update(opened.reference, () => wanted, { seen: newest ?? seen });
      if (outcome.ok) return { saved: true, faults: [] };
      if (outcome.problem.kind !== "conflict")
        return { saved: false, faults: await faultsOf(outcome.problem) };
      const now = await records.read(opened.reference);
      if (!now.ok) return { saved: false, faults: problemFaults(now.problem, fieldOf) };
      setNewest(now.value.record);
      setChanges(merged(seen, next, now.value.record).conflicts);
      return { saved: false, faults: [] };
    },
  };
}

/** The three versions merged, ours where both changed the same field. */
function merged<T extends { readonly type: ResourceType }>(
  base: T,
  ours: T,
  theirs: T,
): { readonly record: T; readonly conflicts: readonly Versions[] } {
  const shape = resourceShapes[ours.type];
  // Records are JSON by their schemas; their types name the members instead of saying so. Members that are derived
  // from others, such as a name in full, are no difference.
  const [b, o, t] = [base, ours, theirs].map((record) =>
    storedForm(ours.type, record as unknown as JsonObject),
  ) as [JsonObject, JsonObject, JsonObject];
  const result = merge({ base: b, ours: o, theirs: t, shape });
  const conflicts = shownPlaces(result.conflicts, { base: b, ours: o, theirs: t });
  return { record: result.merged as unknown as T, conflicts };
}
