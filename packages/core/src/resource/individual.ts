import * as z from "zod";
import {
  addressSchema,
  type CodeableConcept,
  conceptSchema,
  dateSchema,
  extensionSchema,
  type Meta,
  nameSchema,
  type Period,
  type Reference,
  requiredIdentifiersSchema,
  telecomSchema,
} from "./common.ts";
import { list, maxItems } from "./list.ts";
import { photoSchema } from "./photo.ts";

/** A person as clients write one: specification, "Individual". */
export const individualSchema = z.strictObject({
  type: z.literal("Individual"),
  identifier: requiredIdentifiersSchema,
  active: z.boolean().default(true),
  name: nameSchema,
  birthDate: dateSchema.exactOptional(),
  birthDateEstimated: z.boolean().exactOptional(),
  gender: conceptSchema.exactOptional(),
  telecom: list(telecomSchema, maxItems.telecom).exactOptional(),
  address: list(addressSchema, maxItems.address).exactOptional(),
  photo: photoSchema.exactOptional(),
  extension: extensionSchema.exactOptional(),
});

/** A validated body of an Individual, before the registry stamps it. */
export type IndividualBody = z.infer<typeof individualSchema>;

/** One group that a person belongs to: derived from the groups. */
export type GroupMembership = {
  group: Reference;
  role?: CodeableConcept;
  period?: Period;
};

/** A person as the registry shows one. */
export type Individual = IndividualBody & { groupMembership?: GroupMembership[]; meta: Meta };
