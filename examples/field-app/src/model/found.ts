/** What was found so far, and whether there is more. */
export interface Found<T> {
  readonly found: readonly T[];
  readonly more: boolean;
}

/** One page of a search. */
interface FoundPage<T> {
  readonly data: readonly T[];
  readonly hasMore: boolean;
}

/**
 * Several pages as one, each record once and where it comes first.
 *
 * @param pages the closest finds first; the last one finds all that those before it do
 * @param limit how many are shown
 */
export function mergedPages<T extends { readonly reference: string }>(
  pages: readonly FoundPage<T>[],
  limit: number,
): Found<T> {
  const byReference = new Map<string, T>();
  for (const held of pages.flatMap(({ data }) => data)) {
    if (!byReference.has(held.reference)) byReference.set(held.reference, held);
  }
  const all = [...byReference.values()];
  return { found: all.slice(0, limit), more: all.length > limit || pages.at(-1)?.hasMore === true };
}
