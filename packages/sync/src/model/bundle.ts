import type { FrozenRequest } from "./entry.ts";

/** How much travels together. */
export interface BundleLimits {
  /** Requests in one bundle; with 1, every request travels alone. */
  readonly entries: number;
  /** Length of a bundle's text, about its bytes. */
  readonly bytes: number;
}

/** What a bundle may come to at most: half a minute of a very poor network. The server may take fewer entries. */
export const widest: BundleLimits = { entries: 100, bytes: 64 * 1024 };

/** Where every request travels alone. */
export const alone: BundleLimits = { entries: 1, bytes: widest.bytes };

/** Length of a request that is better by itself: what holds it up would hold up the others. */
const large = widest.bytes / 4;

/** By how much fewer travel with a request for each attempt at it that had no outcome: it may be what is wrong. */
const fewerEachTime = 4;

/** What cutting looks at in a request. */
export interface Sized {
  /** Length of its part of a bundle. */
  readonly size: number;
  /** Attempts at it that had no outcome. */
  readonly attempts: number;
}

/**
 * Cuts requests into groups that may travel together, in their order; where one that is large for itself stands between them,
 * it is a group of its own. Those that had no outcome before travel with ever fewer of their kind, and in the end alone, so that
 * one that never gets through holds up no other for long.
 *
 * @returns places, group by group
 */
export function cut(requests: readonly Sized[], limits: BundleLimits): readonly (readonly number[])[] {
  const groups: number[][] = [];
  let open: { readonly places: number[]; readonly most: number; filled: number } | undefined;
  for (const [place, { size, attempts }] of requests.entries()) {
    const most = Math.max(1, Math.floor(limits.entries / fewerEachTime ** attempts));
    if (size > Math.min(large, limits.bytes)) {
      groups.push([place]);
      continue;
    }
    const full = !open || open.places.length >= open.most || open.filled + size > limits.bytes;
    if (!open || full || open.most !== most) {
      open = { places: [], most, filled: 0 };
      groups.push(open.places);
    }
    open.places.push(place);
    open.filled += size;
  }
  return groups;
}

/** A group in two, for one that was refused as a whole. */
export function halves<T>(group: readonly T[]): readonly (readonly T[])[] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)].filter((half) => half.length > 0);
}

/** Half the requests may be more than half the bytes. */
const leftOfBytes = 0.6;

/** What may travel together after so much was too much, and is sent in halves. */
export function lowered(limits: BundleLimits, refused: BundleLimits): BundleLimits {
  return {
    entries: Math.max(1, Math.min(limits.entries, Math.ceil(refused.entries / 2))),
    bytes: Math.max(1, Math.min(limits.bytes, Math.floor(refused.bytes * leftOfBytes))),
  };
}

/** What may travel together after so much got no answer in time: that may be why, or one of them is. */
export function afterHanging({ entries, bytes }: BundleLimits): BundleLimits {
  return {
    entries: Math.ceil(entries / fewerEachTime),
    bytes: Math.max(large, Math.ceil(bytes / fewerEachTime)),
  };
}

/** What may travel together after as much as was allowed got through. */
export function raised({ entries, bytes }: BundleLimits): BundleLimits {
  return { entries: Math.min(widest.entries, 2 * entries), bytes: Math.min(widest.bytes, 2 * bytes) };
}

/**
 * The version that a request replaces, as an entity tag; `undefined` for none.
 *
 * @param named whether the server knows records by keys, and takes the record's with it
 */
export function versionTag(
  { ifMatch, recordKey }: Pick<FrozenRequest, "ifMatch" | "recordKey">,
  named: boolean,
): string | undefined {
  if (ifMatch === null) return undefined;
  return named && recordKey !== undefined ? `"${ifMatch}.${recordKey}"` : `"${ifMatch}"`;
}

/**
 * A request as a part of a bundle: its very body, with where it goes and its key. Contract section 5.
 *
 * @param named as above
 * @param dated whether the server takes the skew of the clock that its dates were made by
 */
export function bundlePart(frozen: FrozenRequest, named = true, dated = false): string {
  const { method, path, key, body, clockSkew } = frozen;
  const ifMatch = versionTag(frozen, named);
  const tag = ifMatch === undefined ? {} : { ifMatch };
  const skew = dated && clockSkew !== undefined ? { clockSkew } : {};
  const request = { method, url: path.slice(1), ...tag, idempotencyKey: key, ...skew };
  return `{"request":${JSON.stringify(request)},"resource":${body}}`;
}

/** The text of a bundle in which each request counts for itself. */
export function bundleText(parts: readonly string[]): string {
  return `{"resourceType":"Bundle","type":"batch","entry":[${parts.join(",")}]}`;
}
