import * as z from "zod";
import {
  conceptSchema,
  extensionSchema,
  type Meta,
  periodSchema,
  requiredIdentifiersSchema,
} from "./common.ts";
import { nonEmptyLine, prose } from "./strings.ts";

/** Who a program is for. */
export const targetTypes = ["individual", "group"] as const;

/** A social protection program as the embedding program writes one: specification, "Program". */
export const programSchema = z.strictObject({
  type: z.literal("Program"),
  identifier: requiredIdentifiersSchema,
  active: z.boolean().default(true),
  name: nonEmptyLine(255),
  description: prose(10_000).exactOptional(),
  programType: conceptSchema.exactOptional(),
  targetType: z.enum(targetTypes),
  eligibilityCriteria: prose(10_000).exactOptional(),
  period: periodSchema.exactOptional(),
  extension: extensionSchema.exactOptional(),
});

/** A validated body of a Program, before the registry stamps it. */
export type ProgramBody = z.infer<typeof programSchema>;

export type ProgramStatus = "active" | "ended";

/** A program as the registry shows one; `status` is derived. */
export type Program = ProgramBody & { status?: ProgramStatus; meta: Meta };
