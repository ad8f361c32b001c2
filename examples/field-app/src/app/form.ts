import type { FieldError, Problem } from "@fieldroll/core";
import { type FormEvent, useEffect, useRef, useState } from "react";
import { formFaults } from "../model/fault-fields.ts";
import { plainWords } from "../model/plain-words.ts";
import type { Pictures } from "./pictures.ts";

/** A form's life: one submission at a time, its faults, and whether it is under way. */
export interface FormState {
  readonly faults: readonly FieldError[];
  readonly busy: boolean;
  readonly submit: (event?: FormEvent) => void;
  readonly setFaults: (faults: readonly FieldError[]) => void;
}

/**
 * @param action does the work and answers with what is wrong; an empty list is success.
 * @param known what was wrong before, such as what the server said of the record.
 * @param pictures those that are chosen in the form: a submission waits until they are among its values.
 */
export function useForm(
  action: () => Promise<readonly FieldError[]>,
  known: readonly FieldError[] = [],
  pictures?: Pick<Pictures, "preparing">,
): FormState {
  const [faults, setFaults] = useState(known);
  const [busy, setBusy] = useState(false);
  const [waits, setWaits] = useState(false);
  const preparing = pictures?.preparing === true;
  const running = useRef(false);
  const run = async () => {
    if (running.current) return;
    running.current = true;
    setBusy(true);
    try {
      setFaults(await action());
    } catch (cause) {
      setFaults([
        { field: "", code: "internal", message: cause instanceof Error ? cause.message : String(cause) },
      ]);
    } finally {
      running.current = false;
      setBusy(false);
    }
  };
  // Not before they are shown: the action is of the values as the form was drawn with them.
  useEffect(() => {
    if (!waits || preparing) return;
    setWaits(false);
    void run();
  });
  return {
    faults,
    busy: busy || waits,
    setFaults,
    submit: (event) => {
      event?.preventDefault();
      if (preparing) setWaits(true);
      else void run();
    },
  };
}

/**
 * A problem as faults of a form's fields.
 * @param fieldOf names the form's field for a JSON pointer, or "" where the form has none.
 */
export function problemFaults(problem: Problem, fieldOf: (pointer: string) => string): readonly FieldError[] {
  const errors = problem.errors ?? [];
  if (errors.length === 0) return [{ field: "", code: problem.kind, message: plainWords(problem.detail) }];
  return formFaults(errors, fieldOf);
}
