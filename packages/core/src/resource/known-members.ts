import type * as z from "zod";
import { segmentsOf } from "../json.ts";
import type { SchemaContext } from "./context.ts";
import { isDeclared } from "./extensions.ts";
import { groupSchema } from "./group.ts";
import { individualSchema } from "./individual.ts";
import { membershipSchema } from "./membership.ts";
import { programSchema } from "./program.ts";
import type { ResourceType } from "./types.ts";

const shapes: Readonly<Record<ResourceType, Readonly<Record<string, z.core.$ZodType>>>> = {
  Individual: individualSchema.shape,
  Group: groupSchema.shape,
  Program: programSchema.shape,
  ProgramMembership: membershipSchema.shape,
};

/**
 * Whether there is such a member at all: `/name`, `/name/family`, `/extension/<name>`. One that is not is refused by validation
 * (contract section 2), whoever sends it; where that can't be told it counts as known.
 *
 * @param field a JSON pointer (RFC 6901) of one or two segments
 */
export function isKnownMember(type: ResourceType, field: string, context: SchemaContext): boolean {
  const [member = "", below] = segmentsOf(field);
  if (!Object.hasOwn(shapes[type], member)) return false;
  if (below === undefined) return true;
  if (member === "extension") return isDeclared(below, type, context);
  const shape = strictShapeOf(shapes[type][member]);
  return shape === undefined || Object.hasOwn(shape, below);
}

/** The members of an object that has no others. */
function strictShapeOf(schema: z.core.$ZodType | undefined): object | undefined {
  const def = schema?._zod.def as z.core.$ZodTypes["_zod"]["def"] | undefined;
  if (def?.type === "optional") return strictShapeOf(def.innerType);
  return def?.type === "object" && def.catchall?._zod.def.type === "never" ? def.shape : undefined;
}
