import * as z from "zod";
import type { JsonObject } from "../json.ts";

/**
 * A schema of this registry as JSON Schema (draft 2020-12). `input` is what clients send, `output` what is kept of it.
 * Rules that JSON Schema can't say (such as "not in the future") are not in it; lengths and patterns are.
 */
export function jsonSchemaOf(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, { io, unrepresentable: "any" });
  // A schema of JSON Schema is plain JSON; Zod's type for it also has symbols.
  return JSON.parse(JSON.stringify(rest)) as JsonObject;
}
