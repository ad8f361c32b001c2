import * as z from "zod";
import type { Json } from "../json.ts";

/**
 * Any value of JSON. Bodies are read as plain JSON before a schema sees them, so that it has nothing to check; Zod's own `json()` tries
 * each kind of value in turn, at every level.
 */
export const anyJson = z.unknown() as z.ZodType<Json, Json>;

/** Any object of JSON. */
export const anyObject = z.record(z.string(), anyJson);
