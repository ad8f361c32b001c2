import * as z from "zod";
import { isJsonObject } from "../json.ts";
import { dateSchema } from "../resource/common.ts";
import { wholeNumber } from "../resource/numbers.ts";
import { maxReferenceLength } from "../resource/reference.ts";
import { rule } from "../resource/rule.ts";
import { line, nonEmptyLine } from "../resource/strings.ts";
import { quoted } from "../text.ts";
import { keyOf } from "./ext-id.ts";
import { cycleStates } from "./types.ts";

/** A UUID (RFC 9562) as text. */
export const extIdSchema = z
  .string()
  .meta({ format: "uuid" })
  .check(
    rule((value, report) => {
      if (typeof value === "string" && keyOf(value) === undefined)
        report([], "invalid_value", "must be a UUID");
    }),
  );

/** A cycle as the embedding program and the command line write one. The program is named by reference or by `ext_id`. */
export const cycleSchema = z
  .strictObject({
    type: z.literal("Cycle").exactOptional(),
    ext_id: extIdSchema.exactOptional(),
    program: line(maxReferenceLength).exactOptional(),
    program_ext_id: extIdSchema.exactOptional(),
    name: nonEmptyLine(255),
    sequence: wholeNumber({ min: 0, max: 999_999_999 }),
    start_date: dateSchema,
    end_date: dateSchema,
    state: z.enum(cycleStates).default("draft"),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const { program, program_ext_id, start_date, end_date } = value;
      if (program === undefined && program_ext_id === undefined) {
        report(["program"], "required", "must name the program, by reference or as program_ext_id");
      }
      if (typeof start_date === "string" && typeof end_date === "string" && end_date < start_date) {
        report(["end_date"], "invalid_period", `must not be before the start, ${quoted(start_date)}`);
      }
    }),
  );
