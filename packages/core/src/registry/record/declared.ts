import type { DocumentKey, Position, Store, StoredDocument } from "../../store/port.ts";

/**
 * Reads what a document declares about itself, without its body. Where there is none with the key, the next one by key is read in its
 * place: so the work does not tell whether there is one.
 */
export async function declaredAt(
  { store }: { readonly store: Store },
  { collection, key }: DocumentKey,
): Promise<StoredDocument | undefined> {
  const { documents } = await store.query({ collection, after: before(key), limit: 1, part: "declared" });
  const [found] = documents;
  return found?.key === key ? found : undefined;
}

/** The place just before a key: between the two there is at most a key that goes on with U+FFFF. */
function before(key: string): Position {
  const last = key.charCodeAt(key.length - 1);
  return { value: null, key: `${key.slice(0, -1)}${String.fromCharCode(last - 1)}\uffff` };
}
