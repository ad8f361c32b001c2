import * as z from "zod";
import { counted } from "../text.ts";
import { rule } from "./rule.ts";

const controls = /\p{Cc}/u;
const controlsButLineBreaks = /[^\P{Cc}\t\n\r]/u;

/** What is wrong with a string, or `undefined`. Lengths count characters (code points). */
export function fault(
  text: string,
  bounds: { readonly max: number; readonly lineBreaks?: boolean },
): { code: string; message: string } | undefined {
  // A code point has one or two code units, so a longer text need not be counted.
  const long = text.length > bounds.max && (text.length > bounds.max * 2 || [...text].length > bounds.max);
  if (long) return { code: "too_long", message: `must have at most ${counted(bounds.max, "character")}` };
  const pattern = bounds.lineBreaks ? controlsButLineBreaks : controls;
  return pattern.test(text)
    ? { code: "invalid_characters", message: "must not contain control characters" }
    : undefined;
}

function bounded(bounds: { readonly max: number; readonly lineBreaks?: boolean }) {
  return z
    .string()
    .meta({ maxLength: bounds.max })
    .check(
      rule((value, report) => {
        const found = typeof value === "string" ? fault(value, bounds) : undefined;
        if (found) report([], found.code, found.message);
      }),
    );
}

/** Text of one line: no control characters. */
export function line(max: number) {
  return bounded({ max });
}

/** Text of one line with something in it besides white space. */
export function nonEmptyLine(max: number) {
  return line(max)
    .meta({ minLength: 1, pattern: "\\S" })
    .check(
      rule((value, report) => {
        if (typeof value === "string" && value.trim() === "") report([], "required", "must not be empty");
      }),
    );
}

/** Running text: tabs and line breaks are welcome, other control characters are not. */
export function prose(max: number) {
  return bounded({ max, lineBreaks: true });
}
