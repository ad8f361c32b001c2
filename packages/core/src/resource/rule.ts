import * as z from "zod";

/** Reports one fault: where it is below the value that is checked, its stable code, and a sentence. */
export type Report = (path: readonly (string | number)[], code: string, message: string) => void;

/**
 * A check that also runs when other parts of the value have faults, so that all of them are reported at once.
 * It therefore sees values of any shape and must look before it leaps.
 */
export function rule<T>(check: (value: unknown, report: Report) => void): z.core.$ZodCheck<T> {
  return z.superRefine<T>(
    (value, context) => {
      check(value, (path, code, message) => {
        context.addIssue({ code: "custom", path: [...path], message, params: { code }, continue: true });
      });
    },
    { when: () => true },
  );
}
