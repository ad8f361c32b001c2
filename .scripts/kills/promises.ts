import type { Heard } from "../../test/browser/kills/stage/tablet.ts";

/** What a tablet's edits came to, as its page told it. */
export interface Promises {
  /** Token to the record it was to be added to; `null` for one that was to be made. */
  readonly begun: Map<string, string | null>;
  /** Token to the record, of edits that were reported durable. */
  readonly done: Map<string, string>;
  /** Edits that were refused, which nothing here gives a reason for. */
  readonly refused: string[];
}

/** Nothing begun, nothing promised. */
export function noPromises(): Promises {
  return { begun: new Map(), done: new Map(), refused: [] };
}

/** Notes what a tablet tells. */
export function listenTo({ begun, done, refused }: Promises, onBegun: () => void): Heard {
  return {
    begun(token, reference) {
      begun.set(token, reference);
      onBegun();
    },
    done: (token, reference) => void done.set(token, reference),
    refused: (token, detail) => void refused.push(`${token}: ${detail}`),
  };
}

/** The tokens that were promised, by record. */
export function promisedTokens({ done }: Promises): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [token, reference] of done) {
    const tokens = found.get(reference);
    if (tokens) tokens.push(token);
    else found.set(reference, [token]);
  }
  return found;
}
