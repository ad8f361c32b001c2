import { isJsonObject, type Json, type JsonObject } from "@fieldroll/core";

type Components = Readonly<Record<string, JsonObject>>;

/**
 * The components that a document's paths refer to, also through others: a deployment without programs has no use for
 * the schemas of enrollments.
 */
export function usedComponents(paths: JsonObject, components: Components): JsonObject {
  const used = new Set<string>();
  const visit = (value: Json): void => {
    for (const name of referencesIn(value)) {
      if (used.has(name)) continue;
      used.add(name);
      visit(componentAt(components, name));
    }
  };
  visit(paths);
  const kept = Object.entries(components).map(([section, members]) => [
    section,
    Object.fromEntries(Object.entries(members).filter(([name]) => used.has(`${section}/${name}`))),
  ]);
  return Object.fromEntries(kept);
}

function componentAt(components: Components, name: string): Json {
  const [section = "", member = ""] = name.split("/");
  const found = components[section]?.[member];
  if (found === undefined) throw new Error(`The document refers to ${name}, which it does not have`);
  return found;
}

function referencesIn(value: Json): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isJsonObject(value)) return [];
  const own = typeof value.$ref === "string" ? [value.$ref.replace("#/components/", "")] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
}
