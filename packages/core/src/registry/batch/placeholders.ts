import { isJsonObject, type Json, pointer } from "../../json.ts";
import type { FieldError } from "../../problem.ts";
import type { BundleEntry } from "./parse-bundle.ts";
import { placeholdersInUrl, withPlaceholders } from "./url-placeholders.ts";

/** Where an entry names another one by its placeholder. */
interface Use {
  readonly entry: number;
  /** Into the bundle. */
  readonly field: string;
  /** The entry that declares the placeholder; `undefined` where none does. */
  readonly target: number | undefined;
}

/** The placeholders of a bundle, found and followed. */
export interface Placeholders {
  readonly faults: readonly FieldError[];
  /** The entries, each after those that it refers to, and otherwise as they came. */
  readonly order: readonly number[];
  /** Whether an entry names another one. */
  refers(entry: number): boolean;
  /**
   * An entry with a reference in the place of each placeholder.
   *
   * @param referenceOf the printed reference of what another entry is about; `undefined` leaves the placeholder
   */
  resolved(entry: number, referenceOf: (target: number) => string | undefined): BundleEntry | undefined;
}

/**
 * Finds `urn:uuid:` placeholders: contract section 5. They may stand in any reference of any body and in `request.url`, and
 * name entries before or after their own. One that no entry declares is a fault, and so are entries that wait for each other.
 */
export function followPlaceholders(entries: readonly BundleEntry[]): Placeholders {
  const declared = new Map<string, number>();
  entries.forEach(({ fullUrl }, i) => {
    if (isPlaceholder(fullUrl)) declared.set(nameOf(fullUrl), i);
  });
  const uses = entries.flatMap((entry, i) => usesIn(entry, i, declared));
  const { order, waiting } = inOrder(entries.length, uses);
  const refers = (place: number) => uses.some((use) => use.entry === place);
  return {
    faults: [...uses.filter(({ target }) => target === undefined).map(undeclared), ...waiting.map(circular)],
    order,
    refers,
    resolved: (place, referenceOf) => {
      const entry = entries[place];
      if (!entry || !refers(place)) return entry;
      const resolve = (text: string) => referenceOf(declared.get(nameOf(text)) ?? -1);
      const { resource } = entry;
      return {
        ...entry,
        url: withPlaceholders(entry.url, resolve),
        ...(resource !== undefined && { resource: replaced(resource, (text) => resolve(text) ?? text) }),
      };
    },
  };
}

/** Whether a text is a placeholder. */
export function isPlaceholder(text: Json | undefined): text is string {
  return typeof text === "string" && /^urn:uuid:/i.test(text);
}

/** UUIDs and the scheme of a URN are the same in either case (RFC 9562 section 4, RFC 8141 section 3.1). */
function nameOf(placeholder: string): string {
  return placeholder.toLowerCase();
}

type Path = readonly (string | number)[];

function usesIn(
  { resource, url }: BundleEntry,
  entry: number,
  declared: ReadonlyMap<string, number>,
): readonly Use[] {
  const uses: Use[] = placeholdersInUrl(url).map((placeholder) => ({
    entry,
    field: pointer(["entry", entry, "request", "url"]),
    target: declared.get(nameOf(placeholder)),
  }));
  const visit = (value: Json, path: Path): void => {
    for (const [name, item] of partsOf(value)) {
      if (name === "reference" && isPlaceholder(item)) {
        const target = declared.get(nameOf(item));
        uses.push({ entry, field: pointer([...path, name]), target });
      } else visit(item, [...path, name]);
    }
  };
  if (resource !== undefined) visit(resource, ["entry", entry, "resource"]);
  return uses;
}

function partsOf(value: Json): readonly (readonly [string | number, Json])[] {
  if (Array.isArray(value)) return [...value.entries()];
  return isJsonObject(value) ? Object.entries(value) : [];
}

function replaced(value: Json, resolve: (placeholder: string) => string): Json {
  if (Array.isArray(value)) return value.map((item: Json) => replaced(item, resolve));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      name === "reference" && isPlaceholder(item) ? resolve(item) : replaced(item, resolve),
    ]),
  );
}

function inOrder(
  count: number,
  uses: readonly Use[],
): { readonly order: readonly number[]; readonly waiting: readonly Use[] } {
  const order: number[] = [];
  const done = new Set<number>();
  const isReady = (entry: number) =>
    uses.every((use) => use.entry !== entry || use.target === undefined || done.has(use.target));
  for (;;) {
    const next = Array.from({ length: count }, (_, i) => i).find((i) => !done.has(i) && isReady(i));
    if (next === undefined) break;
    order.push(next);
    done.add(next);
  }
  const waiting = uses.filter(
    ({ entry, target }) => !done.has(entry) && target !== undefined && !done.has(target),
  );
  return { order, waiting };
}

function undeclared({ field }: Use): FieldError {
  const message = "is a placeholder that no entry has as its fullUrl; declare it, or name the record";
  return { field, code: "unknown_placeholder", message };
}

function circular({ entry, field, target }: Use): FieldError {
  const message =
    target === entry
      ? "names its own entry; leave it out, or name another"
      : `refers to entry ${target}, which waits for this one; leave one of the references out`;
  return { field, code: "circular_reference", message };
}
