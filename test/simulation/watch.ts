import type { Json, MemoryMedium } from "@fieldroll/core";

/** What is looked at: what the server and each tablet have on their disks, and what promises were broken so far. */
interface Watched {
  readonly violations: readonly string[];
  readonly server: { readonly medium: MemoryMedium };
  readonly devices: readonly { readonly name: string; readonly medium: MemoryMedium }[];
}

/**
 * Follows a text through a simulation: tells each document of the server and of the tablets that holds it as a whole value, when it
 * comes, when it changes and when it goes; and each promise when it is broken. How an edit was lost is read from that.
 *
 * @param text a token of an edit, as the oracle names it; or an identifier's value
 * @returns to be called after each event
 */
export function watchFor(text: string, world: Watched, tell: (line: string) => void): () => void {
  let before = new Map<string, string>();
  let broken = 0;
  const tellBroken = () => {
    for (; broken < world.violations.length; broken++) tell(`@@ broken ${world.violations[broken]}`);
  };
  return () => {
    tellBroken();
    const now = new Map([
      ...holding(text, "server", world.server.medium),
      ...world.devices.flatMap(({ name, medium }) => [...holding(text, name, medium)]),
    ]);
    for (const [name, body] of now) {
      const former = before.get(name);
      if (former !== body) tell(`@@ ${former === undefined ? "new" : "changed"} ${name} ${body}`);
    }
    for (const name of before.keys()) if (!now.has(name)) tell(`@@ gone ${name}`);
    before = now;
  };
}

function holding(text: string, where: string, { collections }: MemoryMedium): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const [collection, documents] of collections) {
    for (const [key, { body }] of documents) {
      const written = textOf(body);
      if (written.includes(`"${text}"`)) found.set(`${where} ${collection}/${key}`, written);
    }
  }
  return found;
}

const texts = new WeakMap<object, string>();

/** Bodies of documents are never changed in place, so that each is written once. */
function textOf(body: Json): string {
  if (typeof body !== "object" || body === null) return JSON.stringify(body);
  const known = texts.get(body) ?? JSON.stringify(body);
  texts.set(body, known);
  return known;
}
