import type { FieldError } from "@fieldroll/core";
import { texts } from "../texts.ts";

/** The registry takes lines of this many characters. */
const longestLine = 255;

/** What is wrong with the length of a text, if anything: it is all there as it was typed, and nothing of it is cut off. */
export function lengthFaults(field: string, label: string, text: string): readonly FieldError[] {
  const count = charactersIn(text.trim());
  if (count <= longestLine) return [];
  return [{ field, code: "too_long", message: texts.faults.tooLong(label, count, longestLine) }];
}

/** As the registry counts them. */
function charactersIn(text: string): number {
  return [...text].length;
}
