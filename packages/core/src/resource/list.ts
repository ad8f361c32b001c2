import * as z from "zod";
// By its name alone: `z.core` as a value brings all languages of Zod into a bundle.
import { $constructor } from "zod/v4/core";
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

const BoundedArray: z.core.$constructor<z.ZodArray, BoundedDef> = $constructor(
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
      const entries = parsedEntries(def.element, input, { payload, context });
      payload.value = entries;
      return payload;
    };
  },
);

/** Parses entries one after the other, and stops where there are faults enough. */
function parsedEntries(
  element: z.core.$ZodType,
  input: readonly unknown[],
  {
    payload,
    context,
  }: { readonly payload: z.core.ParsePayload; readonly context: z.core.ParseContextInternal },
): readonly unknown[] {
  const entries: unknown[] = [];
  for (const [i, value] of input.entries()) {
    const entry = element._zod.run({ value, issues: [] }, context);
    if (entry instanceof Promise) throw new TypeError("The entries of a list are checked at once.");
    entries.push(entry.value);
    for (const issue of entry.issues) payload.issues.push({ ...issue, path: [i, ...(issue.path ?? [])] });
    if (payload.issues.length > maxErrors) break;
  }
  return entries;
}

/**
 * A list of at most `most` entries. A longer one is one fault, and none of its entries is looked at: the `max` of Zod's own array
 * counts after it has parsed every entry. After {@link maxErrors} faults no further entry is looked at.
 */
export function list<T extends z.core.$ZodType>(element: T, most: number): z.ZodArray<T> {
  const bounded: unknown = new BoundedArray({ type: "array", element, most });
  return bounded as z.ZodArray<T>;
}
