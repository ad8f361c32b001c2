import * as z from "zod";
import { dateSchema, extensionSchema, identifiersSchema, keyedReferenceSchema, type Meta } from "./common.ts";
import { membershipStatuses } from "./membership-status.ts";
import { line } from "./strings.ts";

/** An enrollment as clients write one: specification, "ProgramMembership". */
export const membershipSchema = z.strictObject({
  type: z.literal("ProgramMembership"),
  /** Given by the server when absent. */
  identifier: identifiersSchema.exactOptional(),
  program: keyedReferenceSchema(["Program"]),
  beneficiary: keyedReferenceSchema(["Individual", "Group"]),
  /** Contract section 2 calls `draft` the initial one. */
  status: z.enum(membershipStatuses).default("draft"),
  enrollmentDate: dateSchema.exactOptional(),
  exitDate: dateSchema.nullable().exactOptional(),
  exitReason: line(255).nullable().exactOptional(),
  extension: extensionSchema.exactOptional(),
});

/** A validated body of a ProgramMembership, before the state machine and the registry complete it. */
export type MembershipBody = z.infer<typeof membershipSchema>;

/** An enrollment as the registry shows one. */
export type ProgramMembership = Omit<MembershipBody, "identifier"> & {
  identifier: NonNullable<MembershipBody["identifier"]>;
  meta: Meta;
};
