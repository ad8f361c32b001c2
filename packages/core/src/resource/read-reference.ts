import { referenceFault } from "./common.ts";
import { type ParsedReference, parseReference } from "./reference.ts";
import type { ResourceType } from "./types.ts";

/**
 * Reads a reference to a record of one of the types. Returns `undefined` for one that schemas refuse, so that no store is asked about a
 * malformed reference.
 */
export function readReference(text: unknown, types: readonly ResourceType[]): ParsedReference | undefined {
  if (typeof text !== "string" || referenceFault(text, types) !== undefined) return undefined;
  const parsed = parseReference(text);
  return parsed.ok ? parsed.value : undefined;
}
