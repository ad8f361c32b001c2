import * as z from "zod";
import { isJsonObject } from "../json.ts";
import { dateSchema } from "../resource/common.ts";
import { maxReferenceLength } from "../resource/reference.ts";
import { rule } from "../resource/rule.ts";
import { line, nonEmptyLine } from "../resource/strings.ts";
import { quoted } from "../text.ts";
import { extIdSchema } from "./cycle-input.ts";
import { amountSchema } from "./money.ts";
import { entitlementStates } from "./types.ts";

/** States in which an entitlement has not been approved, nor was before. */
const unapproved: ReadonlySet<unknown> = new Set(["draft", "pending_validation", "rejected"]);

/**
 * An entitlement as the embedding program and the command line write one. Its person is named by reference or by
 * `registrant_ext_id`, its cycle by `ext_id`.
 */
export const entitlementSchema = z
  .strictObject({
    type: z.literal("Entitlement").exactOptional(),
    ext_id: extIdSchema.exactOptional(),
    ern: nonEmptyLine(255).exactOptional(),
    cycle: extIdSchema,
    beneficiary: line(maxReferenceLength).exactOptional(),
    registrant_ext_id: extIdSchema.exactOptional(),
    amount: amountSchema,
    valid_from: dateSchema.nullable().default(null),
    valid_until: dateSchema.nullable().default(null),
    state: z.enum(entitlementStates).default("draft"),
    /** UTC instant: of one that was approved elsewhere. */
    approved_at: z.iso.datetime().nullable().exactOptional(),
  })
  .check(
    rule((value, report) => {
      if (!isJsonObject(value)) return;
      const { beneficiary, registrant_ext_id, valid_from, valid_until, approved_at, state = "draft" } = value;
      if (beneficiary === undefined && registrant_ext_id === undefined) {
        report(["beneficiary"], "required", "must name the person, by reference or as registrant_ext_id");
      }
      if (typeof valid_from === "string" && typeof valid_until === "string" && valid_until < valid_from) {
        report(["valid_until"], "invalid_period", `must not be before ${quoted(valid_from)}, the first day`);
      }
      if (typeof approved_at === "string" && unapproved.has(state)) {
        report(["approved_at"], "not_approved", `goes with an approval only, and this is ${String(state)}`);
      }
    }),
  );

export type EntitlementInput = z.infer<typeof entitlementSchema>;
