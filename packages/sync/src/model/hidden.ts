import { type JsonObject, type ResourceType, resourceShapes, sameJson } from "@fieldroll/core";
import { unversioned } from "./accepted.ts";
import type { Copies } from "./rebase.ts";

/**
 * A copy as work stands on it. One that lacks what the work changed may hide it, for a consent was narrowed: what others have there is met
 * before it is replaced, whatever the copy's version is.
 */
export function standingOn(theirs: JsonObject, { base, local }: Omit<Copies, "theirs">): JsonObject {
  const isHidden = (member: string) =>
    theirs[member] === undefined &&
    local[member] !== undefined &&
    member !== "meta" &&
    !sameJson(base?.[member], local[member]);
  return Object.keys(base ?? {}).some(isHidden) ? unversioned(theirs) : theirs;
}

/** Members that stay beside a copy which hides them: what was typed here, though it is as it was, and what is decided on with a change made here. */
export function keptBeside(
  type: ResourceType,
  { base, local, asked = [] }: Pick<Copies, "base" | "local" | "asked">,
): readonly string[] {
  const shape = resourceShapes[type];
  const units = (shape.kind === "object" && shape.together) || [];
  const isOwn = (member: string) => !sameJson(base?.[member], local[member]);
  return [
    ...units.filter((unit) => unit.some(isOwn)).flat(),
    ...asked.map((place) => place.split("/")[1]?.replace(/^member:/, "") ?? ""),
  ];
}
