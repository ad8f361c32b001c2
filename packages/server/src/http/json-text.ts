import { bodyLimits, quoted, tooManyValues, tooWide } from "@fieldroll/core";

/** Why a text of JSON is not read: it is too much, or it is wrong in a way that what is read of it no longer shows. */
export type JsonFault =
  | { readonly kind: "too-large"; readonly detail: string }
  /** To follow "The body". */
  | { readonly kind: "malformed"; readonly what: string };

const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Looks through a text of JSON once, before `JSON.parse` makes objects of it: for more than {@link bodyLimits} allows, a key twice in one
 * object, and keys that reach an object's prototype. Its time grows with the text's length alone. Text that is not JSON at all may
 * have no fault here.
 *
 * @throws SyntaxError where a key is not JSON
 */
export function faultOfJson(text: string): JsonFault | undefined {
  const scan: Scan = { text, open: [], values: 0, atKey: false };
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) <= space) {
      at += 1;
      continue;
    }
    const end = endOfToken(text, at);
    tokens += 1;
    const fault = tokens > mostTokens ? tooLarge(tooManyValues) : visit(scan, at, end);
    if (fault) return fault;
    at = end;
  }
  return undefined;
}

interface Scan {
  readonly text: string;
  /** The objects and lists that are open, innermost last. */
  readonly open: Container[];
  values: number;
  /** Whether a string here is a key. */
  atKey: boolean;
}

interface Container {
  /** The keys seen; none in a list. */
  readonly keys?: Set<string>;
  size: number;
}

/** A value has at most a key, a colon and a comma before it, and an end. What has more is not JSON. */
const mostTokens = 5 * bodyLimits.values;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const backslash = 0x5c;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

/** Characters that part values from each other, by their code: white space and the marks of JSON. */
const parts: readonly boolean[] = Array.from({ length: 128 }, (_, code) =>
  ' \t\n\r,:[]{}"'.includes(String.fromCharCode(code)),
);

/** Where the token ends that begins at a place. */
function endOfToken(text: string, at: number): number {
  const code = text.charCodeAt(at);
  if (code === quote) return endOfString(text, at);
  let end = at + 1;
  if (parts[code]) return end;
  while (end < text.length && !parts[text.charCodeAt(end)]) end += 1;
  return end;
}

/** A quotation mark ends a string, unless an odd number of backslashes is before it. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end > 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === backslash) before -= 1;
    if ((end - before) % 2 === 1) return end + 1;
  }
  return text.length;
}

function visit(scan: Scan, at: number, end: number): JsonFault | undefined {
  const { text, open } = scan;
  const code = text.charCodeAt(at);
  switch (code) {
    case comma:
      scan.atKey = open.at(-1)?.keys !== undefined;
      return undefined;
    case closeObject:
    case closeList:
      open.pop();
      scan.atKey = false;
      return undefined;
    case openObject:
    case openList: {
      const fault = visitValue(scan);
      scan.atKey = code === openObject;
      open.push(scan.atKey ? { keys: new Set(), size: 0 } : { size: 0 });
      return fault ?? (open.length > bodyLimits.depth ? malformed(tooDeep) : undefined);
    }
    default:
      if (code !== quote && parts[code]) return undefined;
      return scan.atKey ? visitKey(scan, text.slice(at, end)) : visitValue(scan);
  }
}

const tooDeep = `is nested deeper than ${bodyLimits.depth} levels`;

function visitValue(scan: Scan): JsonFault | undefined {
  scan.values += 1;
  if (scan.values > bodyLimits.values) return tooLarge(tooManyValues);
  const inner = scan.open.at(-1);
  return inner && !inner.keys ? grown(inner, "list") : undefined;
}

function visitKey(scan: Scan, name: string): JsonFault | undefined {
  scan.atKey = false;
  const inner = scan.open.at(-1);
  const key = name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1);
  if (forbiddenKeys.has(key)) return malformed(`has a member "${key}", which is not allowed`);
  if (!inner?.keys) return undefined;
  if (inner.keys.has(key)) return malformed(`has the member "${quoted(key)}" twice in one object`);
  inner.keys.add(key);
  return grown(inner, "object");
}

function grown(inner: Container, kind: "object" | "list"): JsonFault | undefined {
  inner.size += 1;
  return inner.size > bodyLimits.width ? tooLarge(tooWide(kind)) : undefined;
}

function tooLarge(detail: string): JsonFault {
  return { kind: "too-large", detail };
}

function malformed(what: string): JsonFault {
  return { kind: "malformed", what };
}
