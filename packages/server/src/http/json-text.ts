import {
  bodyLimits,
  type Problem,
  pointer,
  quoted,
  shortened,
  tooManyValues,
  tooWide,
} from "@fieldroll/core";
import { endOfToken, isPart } from "./json-tokens.ts";

const forbiddenKeys: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

/**
 * Looks through a text of JSON once, before `JSON.parse` makes objects of it: for more than {@link bodyLimits} allows, a key twice in one
 * object, and keys that reach an object's prototype. Its time grows with the text's length alone. Text that is not JSON at all may
 * have no fault here: {@link jsonFault}.
 *
 * @throws SyntaxError where a key is not JSON
 */
export function faultOfJson(text: string): Problem | undefined {
  const scan: Scan = { text, open: [], values: 0, atKey: false };
  let tokens = 0;
  for (let at = 0; at < text.length; ) {
    if (text.charCodeAt(at) <= space) {
      at += 1;
      continue;
    }
    const end = endOfToken(text, at);
    tokens += 1;
    const fault = tokens > mostTokens ? tooMany(scan) : visit(scan, at, end);
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
  /** The key of the value that is read. */
  key?: string;
  size: number;
}

/** A value has at most a key, a colon and a comma before it, and an end. What has more is not JSON. */
const mostTokens = 5 * bodyLimits.values;

const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;
const openObject = 0x7b;
const closeObject = 0x7d;

function visit(scan: Scan, at: number, end: number): Problem | undefined {
  const { text, open } = scan;
  const code = text.charCodeAt(at);
  switch (code) {
    case comma:
      scan.atKey = open.at(-1)?.keys !== undefined;
      return undefined;
    case closeObject:
    case closeList: {
      const fault = faultOfWidth(scan, open.length - 1);
      open.pop();
      scan.atKey = false;
      return fault;
    }
    case openObject:
    case openList: {
      const fault = visitValue(scan) ?? (open.length === bodyLimits.depth ? tooDeep(scan) : undefined);
      scan.atKey = code === openObject;
      open.push(scan.atKey ? { keys: new Set(), size: 0 } : { size: 0 });
      return fault;
    }
    default:
      if (code !== quote && isPart(code)) return undefined;
      return scan.atKey ? visitKey(scan, text.slice(at, end)) : visitValue(scan);
  }
}

function visitValue(scan: Scan): Problem | undefined {
  scan.values += 1;
  if (scan.values > bodyLimits.values) return tooMany(scan);
  const inner = scan.open.at(-1);
  if (inner && !inner.keys) inner.size += 1;
  return undefined;
}

function visitKey(scan: Scan, name: string): Problem | undefined {
  scan.atKey = false;
  const inner = scan.open.at(-1);
  if (!inner?.keys) return undefined;
  const key = name.includes("\\") ? (JSON.parse(name) as string) : name.slice(1, -1);
  inner.key = key;
  if (forbiddenKeys.has(key))
    return malformed(scan, `has a member "${key}", which is not allowed`, "Take it away");
  if (inner.keys.has(key))
    return malformed(scan, `has the member "${quoted(key)}" twice in one object`, "Keep one of the two");
  inner.keys.add(key);
  inner.size += 1;
  return undefined;
}

function tooDeep(scan: Scan): Problem {
  return malformed(scan, `is nested deeper than ${bodyLimits.depth} levels`, "Send less within each other");
}

/** Where a list or an object is too wide itself, the problem names that. */
function tooMany(scan: Scan): Problem {
  const wide = scan.open.findIndex(({ size }) => size > bodyLimits.width);
  return faultOfWidth(scan, wide, "at least ") ?? tooManyValues;
}

function faultOfWidth({ open }: Scan, depth: number, atLeast = ""): Problem | undefined {
  const { keys, size = 0 } = open[depth] ?? {};
  if (size <= bodyLimits.width) return undefined;
  return tooWide(keys ? "object" : "list", {
    field: pathOf(open.slice(0, depth)),
    size: `${atLeast}${size}`,
  });
}

/** The JSON pointer of the value that is read. */
function pathOf(open: readonly Container[]): string {
  return pointer(open.map(({ keys, key = "", size }) => (keys ? key : size - 1)));
}

function malformed({ open }: Scan, what: string, next: string): Problem {
  const field = pathOf(open);
  return {
    kind: "bad-request",
    detail: `At ${shortened(field, 200)} the body ${what}. ${next}.`,
    errors: [{ field, code: "malformed_body", message: what }],
  };
}
