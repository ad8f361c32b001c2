import type { Area } from "./areas.ts";

/** The areas to choose from: the file `areas.json` beside the app, which a deployment replaces by its own. */
export async function loadAreas(): Promise<readonly Area[]> {
  try {
    const answer = await fetch(new URL("./areas.json", document.baseURI));
    const list: unknown = answer.ok ? await answer.json() : [];
    return Array.isArray(list) ? list.filter(isArea) : [];
  } catch {
    return [];
  }
}

function isArea(value: unknown): value is Area {
  const { name, feed } = (value ?? {}) as Partial<Area>;
  return typeof name === "string" && typeof feed === "string";
}
