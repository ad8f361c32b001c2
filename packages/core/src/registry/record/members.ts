import * as z from "zod";
import { groupSchema } from "../../resource/group.ts";
import { individualSchema } from "../../resource/individual.ts";
import { membershipSchema } from "../../resource/membership.ts";
import { programSchema } from "../../resource/program.ts";
import type { ResourceType } from "../../resource/types.ts";

/** The members of a record as answers show it, each with the members that it or its items have. */
type RecordMembers = ReadonlyMap<string, readonly string[]>;

const schemas = {
  Individual: individualSchema,
  Group: groupSchema,
  Program: programSchema,
  ProgramMembership: membershipSchema,
} as const;

/** What answers show beyond what callers write. */
const derived: Readonly<Record<ResourceType, readonly (readonly [string, readonly string[]])[]>> = {
  Individual: [["groupMembership", ["group", "role", "period"]]],
  Group: [["quantity", []]],
  Program: [["status", []]],
  ProgramMembership: [],
};

const known = new Map<ResourceType, RecordMembers>();

/** Lists what a record of a type can show: specification, "Resources and their fields". */
export function membersOf(type: ResourceType): RecordMembers {
  const found = known.get(type);
  if (found) return found;
  const written = Object.entries(schemas[type].shape).map(
    ([name, schema]) => [name, namesWithin(schema)] as const,
  );
  const members = new Map([...written, ["meta", ["versionId", "lastUpdated", "source"]], ...derived[type]]);
  known.set(type, members);
  return members;
}

/**
 * Says why records of none of the types have a field of this name: a member such as `name`, or one level below it such as
 * `name.family`. `undefined` where one has.
 *
 * @param extensions the names of those that there are; without them any will do below `extension`
 */
export function unknownField(
  field: string,
  types: readonly ResourceType[],
  extensions?: ReadonlySet<string>,
): string | undefined {
  const [member = "", inner, ...deeper] = field.split(".");
  const found = types.map(membersOf).filter((members) => members.has(member));
  if (found.length === 0 || deeper.length > 0) {
    const all = types.flatMap((type) => [...membersOf(type).keys()]);
    return `${field} is no field of any record; there are ${listed(all)}`;
  }
  if (inner === undefined) return undefined;
  if (member === "extension") {
    return extensions === undefined || extensions.has(inner)
      ? undefined
      : `${field} is no field; no extension ${inner} is declared`;
  }
  const within = found.flatMap((members) => members.get(member) ?? []);
  if (within.includes(inner)) return undefined;
  if (within.length === 0) return `${field} is no field; ${member} has none below it, so write ${member}`;
  return `${field} is no field; ${member} has ${listed(within)}`;
}

function listed(names: readonly string[]): string {
  return [...new Set(names)].sort().join(", ");
}

function namesWithin(schema: unknown): readonly string[] {
  if (schema instanceof z.ZodObject) return Object.keys(schema.shape);
  if (schema instanceof z.ZodArray) return namesWithin(schema.element);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodExactOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodNullable
  )
    return namesWithin(schema.unwrap());
  return [];
}
