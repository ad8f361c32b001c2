import * as z from "zod";
import { isJsonObject, type Json, type JsonObject, sameJson } from "../json.ts";
import { conceptSchema } from "./common.ts";
import type { ExtensionDeclaration, SchemaContext } from "./context.ts";
import { faults } from "./issues.ts";
import { wholeNumber } from "./numbers.ts";
import type { Report } from "./rule.ts";
import { nonEmptyLine } from "./strings.ts";
import type { ResourceType } from "./types.ts";

/** Facts about a person's farm: contract section 2. */
export const farmer: ExtensionDeclaration = {
  name: "farmer",
  module: "farmer",
  appliesTo: ["Individual"],
  schema: z.strictObject({
    farmSize: z.number().min(0).exactOptional(),
    farmSizeUnit: nonEmptyLine(255).exactOptional(),
    primaryCrop: conceptSchema.exactOptional(),
    livestockCount: wholeNumber({ min: 0 }).exactOptional(),
  }),
};

/** Facts about a person's disability: contract section 2. */
export const disability: ExtensionDeclaration = {
  name: "disability",
  module: "disability",
  appliesTo: ["Individual"],
  schema: z.strictObject({
    disabilityType: conceptSchema.exactOptional(),
    severity: conceptSchema.exactOptional(),
    assistanceNeeded: z.boolean().exactOptional(),
  }),
};

/** The address that an extension's value carries. */
export function extensionUrl(declaration: ExtensionDeclaration, namespace: string): string {
  return declaration.url ?? `urn:${namespace}:extension:${declaration.name}`;
}

/** The names of an extension's fields, as the capability statement lists them. */
export function extensionFields(declaration: ExtensionDeclaration): readonly string[] {
  return Object.keys(declaration.schema.shape);
}

/** Reports what is wrong with the extensions of a record. */
export function checkExtensions(
  type: ResourceType,
  extension: unknown,
  { context, report }: { context: SchemaContext; report: Report },
): void {
  if (!isJsonObject(extension)) return;
  for (const [name, value] of Object.entries(extension)) {
    const declaration = declarationOf(name, type, context);
    if (!declaration) report(["extension", name], "unknown_extension", undeclared(type, context));
    else if (isJsonObject(value)) checkValue(declaration, value, { context, report });
  }
}

function checkValue(
  declaration: ExtensionDeclaration,
  value: JsonObject,
  { context, report }: { context: SchemaContext; report: Report },
): void {
  const { url, ...fields } = value;
  const expected = extensionUrl(declaration, context.namespace);
  const place = ["extension", declaration.name];
  if (url !== undefined && url !== expected)
    report([...place, "url"], "invalid_value", `must be ${expected}`);
  const parsed = declaration.schema.safeParse(fields);
  if (parsed.success) return;
  for (const { path, code, message } of faults(parsed.error.issues, fields)) {
    report([...place, ...path], code, message);
  }
}

/**
 * Completes the extensions of a validated record: each as its own schema returns it, with its url. One that the record before a
 * change had stays as it is, and so does one with faults that it had.
 */
export function withExtensionUrls(
  type: ResourceType,
  record: JsonObject,
  { context, former }: { readonly context: SchemaContext; readonly former?: JsonObject | undefined },
): JsonObject {
  const { extension } = record;
  if (!isJsonObject(extension)) return record;
  const had = isJsonObject(former?.extension) ? former.extension : {};
  const completed: Record<string, Json> = {};
  for (const [name, value] of Object.entries(extension)) {
    completed[name] = value;
    const declaration = declarationOf(name, type, context);
    if (!declaration || !isJsonObject(value) || sameJson(value, had[name])) continue;
    const { url = extensionUrl(declaration, context.namespace), ...fields } = value;
    const parsed = declaration.schema.safeParse(fields);
    if (parsed.success) completed[name] = { url, ...(parsed.data as JsonObject) };
  }
  return { ...record, extension: completed };
}

/** Whether a deployment has an extension of this name for a type of record. */
export function isDeclared(name: string, type: ResourceType, context: SchemaContext): boolean {
  return declarationOf(name, type, context) !== undefined;
}

function declarationOf(
  name: string,
  type: ResourceType,
  context: SchemaContext,
): ExtensionDeclaration | undefined {
  return context.extensions?.find((one) => one.name === name && one.appliesTo.includes(type));
}

function undeclared(type: ResourceType, context: SchemaContext): string {
  const names = (context.extensions ?? [])
    .filter((one) => one.appliesTo.includes(type))
    .map((one) => one.name);
  return names.length > 0
    ? `is not declared for ${type}; declared are ${names.join(", ")}`
    : `is not declared: no extension is declared for ${type}`;
}
