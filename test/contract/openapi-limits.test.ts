import { describe, expect, it } from "vitest";
import { api, startService } from "./fixture.ts";

type Schema = Readonly<Record<string, unknown>>;

/** Where a schema of a body leaves the length of a text or of a list open. */
function unbounded(
  schema: Schema,
  at: string,
  resolve: (name: string) => Schema,
  seen: ReadonlySet<string>,
): string[] {
  // What the service derives may be sent back, and is passed over.
  if (schema.readOnly === true) return [];
  if (typeof schema.$ref === "string") {
    const name = schema.$ref.split("/").at(-1) ?? "";
    return seen.has(name) ? [] : unbounded(resolve(name), name, resolve, new Set([...seen, name]));
  }
  const below = (key: string, inner: unknown) => unbounded(inner as Schema, `${at}/${key}`, resolve, seen);
  const types = [schema.type].flat();
  const isText =
    types.includes("string") && !["enum", "const", "format", "maxLength"].some((key) => key in schema);
  const isList = types.includes("array") && !("maxItems" in schema);
  return [
    ...(isText || isList ? [at] : []),
    ...Object.entries((schema.properties ?? {}) as Schema).flatMap(([name, inner]) => below(name, inner)),
    ...(schema.items ? below("items", schema.items) : []),
    ...["anyOf", "oneOf", "allOf"].flatMap((key) =>
      ((schema[key] ?? []) as Schema[]).flatMap((one) => below(key, one)),
    ),
  ];
}

describe("the document of the interface", () => {
  it("tells the limit of each text and list of each body", async () => {
    const service = await startService();
    const { body: document } = await service.call({ path: `${api}/openapi.json` });
    const resolve = (name: string): Schema => document.components.schemas[name];
    const bodies = Object.entries(document.paths as Record<string, Record<string, Schema>>).flatMap(
      ([path, item]) =>
        Object.entries(item).flatMap(([method, operation]) => {
          const content = (operation as { requestBody?: { content: Record<string, { schema: Schema }> } })
            .requestBody?.content;
          return Object.values(content ?? {}).map(({ schema }) => [`${method} ${path}`, schema] as const);
        }),
    );
    expect(bodies.length).toBeGreaterThan(20);
    expect([...new Set(bodies.flatMap(([at, schema]) => unbounded(schema, at, resolve, new Set())))]).toEqual(
      [],
    );
  });
});
