import * as z from "zod";
import {
  addressSchema,
  conceptSchema,
  extensionSchema,
  keyedReferenceSchema,
  type Meta,
  periodSchema,
  requiredIdentifiersSchema,
} from "./common.ts";
import { list, maxItems } from "./list.ts";
import { nonEmptyLine } from "./strings.ts";

/** The kinds of group: contract section 2. */
export const groupTypes = ["household", "family", "organization", "other"] as const;

/** One person's place in a group. Active unless `inactive`, or its period has ended. */
export const groupMemberSchema = z.strictObject({
  entity: keyedReferenceSchema(["Individual"]),
  role: conceptSchema.exactOptional(),
  period: periodSchema.exactOptional(),
  inactive: z.boolean().exactOptional(),
});

/** A household or other grouping as clients write one: specification, "Group". */
export const groupSchema = z.strictObject({
  type: z.literal("Group"),
  identifier: requiredIdentifiersSchema,
  active: z.boolean().default(true),
  groupType: z.enum(groupTypes),
  name: nonEmptyLine(255),
  member: list(groupMemberSchema, maxItems.member).exactOptional(),
  address: list(addressSchema, maxItems.address).exactOptional(),
  extension: extensionSchema.exactOptional(),
});

export type GroupMember = z.infer<typeof groupMemberSchema>;

/** A validated body of a Group, before the registry stamps it. */
export type GroupBody = z.infer<typeof groupSchema>;

/** A group as the registry shows one; `quantity` counts its active members. */
export type Group = GroupBody & { quantity?: number; meta: Meta };
