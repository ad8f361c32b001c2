import { failure, type Outcome, success } from "../problem.ts";
import { quoted, shortened } from "../text.ts";
import { type ResourceType, resourceTypes } from "./types.ts";

/** The most characters of a reference: room for a system and a value of 255 characters each, percent-encoded from UTF-8. */
export const maxReferenceLength = 8000;

declare const form: unique symbol;

/**
 * A reference as records are stored and compared, and as claims and links are keyed: `<ResourceType>/<system>|<value>`, nothing
 * percent-encoded. To read it as a written one would decode it a second time: `urn:x|JOHN%20DOE` is another person than `urn:x|JOHN DOE`.
 */
export type StoredReference = string & { readonly [form]: "stored" };

/** A reference as answers print it: percent-encoded, so that it can be fetched as it stands. */
export type PrintedReference = string & { readonly [form]: "printed" };

/** A reference as it comes in, percent-encoded or not; never a stored one. */
export type WrittenReference = string & { readonly [form]?: "printed" };

/** The parts of an address, raw: not percent-encoded. */
export interface RecordAddress {
  readonly system: string;
  readonly value: string;
}

/** The parts of a reference, raw: not percent-encoded. */
export interface ParsedReference extends RecordAddress {
  readonly type: ResourceType;
}

/**
 * Reads `<system>|<value>` from a path (specification, "What the service does", rule 1). The text is percent-decoded
 * once and split at the first `|`. Fails with `bad-request` when there is no `|`, a part is empty, or a percent sign
 * does not start an encoded character.
 */
export function parseAddress(text: string): Outcome<RecordAddress> {
  const decoded = decode(text);
  if (decoded === undefined) {
    return failure({
      kind: "bad-request",
      detail: `The address ${quoted(text)} is not well percent-encoded; write a percent sign as %25.`,
    });
  }
  const address = split(decoded);
  if (address) return success(address);
  return failure({
    kind: "bad-request",
    detail: `The address ${quoted(text)} is not written <system>|<value>; give both parts with | between them.`,
  });
}

/** Reads `<ResourceType>/<system>|<value>`, percent-encoded or not. Fails with `bad-request`. */
export function parseReference(text: WrittenReference): Outcome<ParsedReference> {
  // Plain JavaScript may hand on a record, or nothing.
  const given = typeof text === "string" ? text : `(of the type ${typeof text})`;
  const type = resourceTypes.find((name) => given.startsWith(`${name}/`));
  const address = type && addressOfReference(given);
  if (type && address) return success({ type, ...address });
  return failure({
    kind: "bad-request",
    detail: `The reference ${quoted(given)} is not written <ResourceType>/<system>|<value>; the types are ${resourceTypes.join(", ")}.`,
  });
}

/** The address part of a reference, or `undefined` when it has none or is too long to be one. A text that is not well encoded is taken as it is. */
export function addressOfReference(text: string): RecordAddress | undefined {
  if (text.length > maxReferenceLength) return undefined;
  const address = text.slice(text.indexOf("/") + 1);
  return split(decode(address) ?? address);
}

/** Writes a reference so that it can be fetched as printed: contract section 1. */
export function printReference(type: ResourceType, identifier: RecordAddress): PrintedReference {
  return `${type}/${printAddress(identifier)}` as PrintedReference;
}

/**
 * Writes `<system>|<value>` percent-encoded as far as an address line needs it: white space, control characters,
 * `#`, `%`, `?`, `\` and what is not ASCII; not `:`, `/` and `|`. Where a segment is `.` or `..`, which URL parsers take away
 * (WHATWG URL, "path state"), or begins with `$`, as the names of operations do, the slashes are encoded too.
 */
export function printAddress({ system, value }: RecordAddress): string {
  const encoded = `${system}|${value}`.replace(/[\p{Cc}\s#%?\\]|[^\0-\x7f]/gu, encodeURIComponent);
  return /(^|\/)\.\.?(\/|$)|\/\$/.test(encoded) ? encoded.replaceAll("/", "%2F") : encoded;
}

/** The stored form of a reference to the record of an identifier. */
export function canonicalReference(type: ResourceType, { system, value }: RecordAddress): StoredReference {
  return `${type}/${system}|${value}` as StoredReference;
}

/** The stored form of a written reference. A text that is no reference is left as it is, for the schemas to refuse. */
export function rawReference(text: WrittenReference): StoredReference {
  const parsed = parseReference(text);
  return parsed.ok
    ? canonicalReference(parsed.value.type, parsed.value)
    : (text as string as StoredReference);
}

/** The type that a reference names, in whichever form it is. */
export function typeIn(reference: string): ResourceType {
  return reference.slice(0, reference.indexOf("/")) as ResourceType;
}

/** The parts of a stored reference: `Type/system|value`, split at the first `/` and then the first `|`. */
export function splitRaw(raw: StoredReference): ParsedReference {
  const slash = raw.indexOf("/");
  const bar = raw.indexOf("|", slash);
  return {
    type: typeIn(raw),
    system: raw.slice(slash + 1, bar),
    value: raw.slice(bar + 1),
  };
}

/** The printed form of a stored reference. */
export function printRaw(raw: StoredReference): PrintedReference {
  const { type, ...address } = splitRaw(raw);
  return printReference(type, address);
}

/** A stored reference as an error quotes it: printed, and only its beginning where it is long. */
export function quotedReference(stored: StoredReference): string {
  return quoted(printRaw(shortened(stored, 600) as StoredReference));
}

/** Whether two written references name the same record, however each is encoded. Unreadable ones name nothing. */
export function sameReference(a: WrittenReference, b: WrittenReference): boolean {
  const [first, second] = [parseReference(a), parseReference(b)];
  return (
    first.ok &&
    second.ok &&
    canonicalReference(first.value.type, first.value) === canonicalReference(second.value.type, second.value)
  );
}

function split(decoded: string): RecordAddress | undefined {
  const bar = decoded.indexOf("|");
  if (bar < 1 || bar === decoded.length - 1) return undefined;
  return { system: decoded.slice(0, bar), value: decoded.slice(bar + 1) };
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
