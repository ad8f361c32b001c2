import { parseReference } from "../../resource/reference.ts";
import { resourceTypes } from "../../resource/types.ts";
import { alternatives } from "../search/parameter-kinds.ts";

/** Gives the printed reference that takes a placeholder's place; `undefined` leaves it as it is. */
export type Resolve = (placeholder: string) => string | undefined;

/** The parameters that name records, and whether by a whole reference. */
const naming: Readonly<Record<string, "reference" | "address">> = {
  member: "reference",
  beneficiary: "reference",
  program: "reference",
  group: "address",
};

const inPath = new RegExp(
  `^(/?(?:${resourceTypes.join("|")})/)(urn(?::|%3A)uuid(?::|%3A)[^/?|%]+)(?=[/?]|$)`,
  "i",
);
const inValue = new RegExp(`^(?:(${resourceTypes.join("|")})/)?(urn:uuid:[^|]+)$`, "i");

/** The placeholders in a `request.url`: in the place of an address, and in the parameters that name records. */
export function placeholdersInUrl(url: string): readonly string[] {
  const found: string[] = [];
  withPlaceholders(url, (placeholder) => {
    found.push(placeholder);
    return undefined;
  });
  return found;
}

/** Puts references in the place of a url's placeholders. */
export function withPlaceholders(url: string, resolve: Resolve): string {
  const mark = url.indexOf("?");
  const path = (mark === -1 ? url : url.slice(0, mark)).replace(
    inPath,
    (whole, type: string, written: string) => {
      const reference = resolve(written.replaceAll(/%3A/gi, ":"));
      return reference === undefined ? whole : type + reference.slice(reference.indexOf("/") + 1);
    },
  );
  if (mark === -1) return path;
  const pairs = url.slice(mark + 1).split("&");
  return `${path}?${pairs.map((pair) => pairWith(pair, resolve)).join("&")}`;
}

function pairWith(pair: string, resolve: Resolve): string {
  const equals = pair.indexOf("=");
  const name = pair.slice(0, Math.max(0, equals));
  const kind = Object.hasOwn(naming, name) ? naming[name] : undefined;
  const value = decoded(pair.slice(equals + 1));
  if (!kind || value === undefined) return pair;
  let changed = false;
  const parts = alternatives(value).map((part) => {
    const [, type, placeholder] = inValue.exec(part) ?? [];
    if (placeholder === undefined || (kind === "address" && type !== undefined)) return part;
    const reference = resolve(placeholder);
    if (reference === undefined) return part;
    changed = true;
    return kind === "address" ? addressIn(reference) : retyped(reference, type);
  });
  if (!changed) return pair;
  return `${name}=${encodeURIComponent(parts.map((part) => part.replaceAll(",", "\\,")).join(","))}`;
}

function retyped(reference: string, type: string | undefined): string {
  return type === undefined ? reference : `${type}${reference.slice(reference.indexOf("/"))}`;
}

/** What a token names raw, a reference names percent-encoded. */
function addressIn(reference: string): string {
  const parsed = parseReference(reference);
  return parsed.ok ? `${parsed.value.system}|${parsed.value.value}` : reference;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return undefined;
  }
}
