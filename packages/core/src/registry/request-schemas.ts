import * as z from "zod";
import { enrollSchema } from "../benefits/program-desk.ts";
import { registrantSchema } from "../benefits/registrant-input.ts";
import { wholeNumber } from "../resource/numbers.ts";
import { nonEmptyLine } from "../resource/strings.ts";
import { bundleSchema } from "./batch/parse-bundle.ts";
import { mergeSchema } from "./groups/merge.ts";
import { removalSchema } from "./groups/remove-member.ts";
import { splitSchema } from "./groups/split.ts";

/**
 * The bodies of requests that are no records (contract sections 5 and 6), by the schemas that validate them: what describes the
 * interface is made of these, and so can't say anything else.
 */
export const requestSchemas = {
  /** Of `$batch`. */
  bundle: bundleSchema,
  /** Of `$remove-member`. */
  removal: removalSchema,
  /** Of `$merge`. */
  merger: mergeSchema,
  /** Of `$split`. */
  split: splitSchema,
  /** Of a new registrant. */
  registrant: registrantSchema,
  /** Of `enroll`. */
  enrollment: enrollSchema,
  /** Of `enroll` in version 1: the registrant by its integer. */
  formerEnrollment: z.strictObject({ registrant_id: wholeNumber({ min: 1 }) }),
  /** Of a consent's `$revoke`, and of `$reject` and `$revise` of a change request, where they have a body. */
  revocation: z.strictObject({ reason: nonEmptyLine(255).exactOptional() }),
  /** Of an operation that has nothing to be said, such as an approval. */
  nothing: z.strictObject({}),
} as const;
