import { isJsonObject, type Json, type JsonObject } from "@fieldroll/core";

/** An operation of the document, found at its place. */
export interface OperationView {
  readonly method: string;
  /** As it is sent, from the server's root. */
  readonly path: string;
  readonly id: string;
  readonly tag: string;
  readonly operation: JsonObject;
}

/** The operations of a document in its order. */
export function operationsOf(document: JsonObject, apiRoot: string): readonly OperationView[] {
  return Object.entries(members(document.paths)).flatMap(([template, item]) => {
    const { servers, ...operations } = members(item);
    const path = servers === undefined ? `${apiRoot}${template}` : template;
    return Object.entries(operations).map(([method, value]): OperationView => {
      const operation = members(value);
      return { method, path, operation, id: text(operation.operationId), tag: text(list(operation.tags)[0]) };
    });
  });
}

/** What a value is, or what it refers to in the document. */
export function resolved(document: JsonObject, value: Json | undefined): JsonObject {
  const object = members(value);
  if (typeof object.$ref !== "string") return object;
  const steps = object.$ref.replace("#/", "").split("/");
  return members(steps.reduce<Json | undefined>((at, step) => members(at)[step], document));
}

/** The last part of what a schema refers to: its name. */
export function nameOf(schema: JsonObject): string | undefined {
  return typeof schema.$ref === "string" ? schema.$ref.split("/").at(-1) : undefined;
}

/** The members of an object of JSON; none of anything else. */
export function members(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function list(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

/** A text, or what else it is as text; empty when it is not there. */
export function text(value: Json | undefined): string {
  if (value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
