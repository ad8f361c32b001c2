import type * as z from "zod";
import type { RegistryConfig } from "./types.ts";

/**
 * Refuses schemas of a deployment that have an array without a maximum that is checked before its entries. Zod's own `max` comes after
 * every entry was parsed. What `z.lazy` returns is not looked into.
 *
 * @throws TypeError that names the extension or the type of change request
 */
export function refuseUnboundedLists({
  extensions = [],
  changeRequestTypes = [],
}: Pick<RegistryConfig, "extensions" | "changeRequestTypes">): void {
  const declared = [
    ...extensions.map(({ name, schema }) => [`extension ${name}`, schema] as const),
    ...changeRequestTypes.map(({ name, schema }) => [`change request type ${name}`, schema] as const),
  ];
  const unbounded = declared.find(([, schema]) => hasUnboundedList(schema, new Set()));
  if (!unbounded) return;
  throw new TypeError(
    `createRegistry: the ${unbounded[0]} has a z.array. Declare its list with the most entries it may have: list(element, most) of @fieldroll/core.`,
  );
}

function hasUnboundedList(schema: z.core.$ZodType, seen: Set<unknown>): boolean {
  if (seen.has(schema)) return false;
  seen.add(schema);
  const { def } = schema._zod;
  if (def.type === "array" && !("most" in def)) return true;
  // It keeps what it returned, once it was used.
  if (def.type === "lazy") return false;
  return partsOf(def).some((part) => hasUnboundedList(part, seen));
}

/** The schemas within one: of an element, of an object's members, of a union's options. */
function partsOf(def: object): readonly z.core.$ZodType[] {
  return Object.values(def).flatMap((part: unknown) =>
    isSchema(part) ? [part] : Object.values(Object(part)).filter(isSchema),
  );
}

function isSchema(part: unknown): part is z.core.$ZodType {
  return Object.hasOwn(Object(Object(part)._zod), "def");
}
