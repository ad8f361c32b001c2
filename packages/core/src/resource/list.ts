import * as z from "zod";
import { maxErrors } from "../problem.ts";

/** The most entries that lists of a record have: contract section 2. */
export const maxItems = {
  identifier: 50,
  telecom: 50,
  address: 50,
  line: 20,
  coding: 20,
  member: 500,
  scope: 50,
  fields: 100,
} as const;

interface BoundedDef extends z.core.$ZodArrayDef {
  readonly most: number;
}

const BoundedArray: z.core.$constructor<z.ZodArray, BoundedDef> = z.core.$constructor(
  "BoundedArray",
  (inst, def) => {
    z.ZodArray.init(inst, def);
    inst._zod.bag.maximum = def.most;
    const { parse } = inst._zod;
    inst._zod.parse = (payload, context) => {
      const { value: input } = payload;
      if (!Array.isArray(input)) return parse(payload, context);
      if (input.length > def.most) {
        const size = { code: "too_big", origin: "array", maximum: def.most, inclusive: true } as const;
        // `continue: false` also keeps the rules of the lists and objects around it from looking at its entries.
        payload.issues.push({ ...size, input, inst, continue: false });
        return payload;
      }
      const entries: unknown[] = [];
      for (const [i, value] of input.entries()) {
        const entry = def.element._zod.run({ value, issues: [] }, context);
        if (entry instanceof Promise) throw new z.core.$ZodAsyncError();
        entries.push(entry.value);
        payload.issues.push(...z.core.util.prefixIssues(i, entry.issues));
        if (payload.issues.length > maxErrors) break;
      }
      payload.value = entries;
      return payload;
    };
  },
);

/**
 * A list of at most `most` entries. A longer one is one fault, and none of its entries is looked at: the `max` of Zod's own array
 * counts after it has parsed every entry. After {@link maxErrors} faults no further entry is looked at.
 */
export function list<T extends z.core.$ZodType>(element: T, most: number): z.ZodArray<T> {
  const bounded: unknown = new BoundedArray({ type: "array", element, most });
  return bounded as z.ZodArray<T>;
}
