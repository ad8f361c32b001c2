import {
  type Document,
  type DocumentKey,
  type Expectation,
  recordKey,
  type Store,
  type StoredDocument,
  storedRecord,
} from "@fieldroll/core";
import { type Accepted, together, withWho } from "../model/accepted.ts";
import { entryId, nameIn } from "../model/entry.ts";
import { acceptedIn, batch, documentOf } from "./accepted.ts";
import { collections, isOf, mostFailures, unchanged } from "./documents.ts";
import { whomMeant } from "./known-again.ts";
import { acceptedAs } from "./naming.ts";
import { linkedBack } from "./seal.ts";
import { keyOnServer } from "./work.ts";

/**
 * Puts what the server accepted from one person away until that one signs in again, under the keys that the records have on the
 * server: the records themselves are forgotten meanwhile.
 *
 * @param fence holds at every commit
 * @returns whether it held to the end
 */
export async function sealAccepted(store: Store, account: string, fence: Expectation): Promise<boolean> {
  const move = async (found: StoredDocument) => {
    const { type, key } = nameIn(found.key);
    const [record] = await store.get([recordKey(type, key)]);
    return {
      collection: collections.acceptedSealed,
      key: `${account}/${entryId(type, keyOnServer({ key, record }))}`,
    };
  };
  const kept = (found: StoredDocument) => asForgotten(store, found);
  return moveAll(store, { collection: collections.accepted }, { move, fence, account, kept });
}

/**
 * What is kept of a record, once that is forgotten: in the names that it has for others now, with whom these mean, by the keys under which those
 * come back. Their numbers may be somebody else's by then.
 */
async function asForgotten(store: Store, accepted: StoredDocument): Promise<readonly Accepted[]> {
  const { type, key } = nameIn(accepted.key);
  const [document] = await store.get([recordKey(type, key)]);
  if (!document) return acceptedIn({ accepted });
  const { record, links } = storedRecord(document);
  const known = await acceptedAs(store, { type, accepted: acceptedIn({ accepted }), links }, record);
  const meant = await linkedBack(store, links);
  const people = Object.entries((await whomMeant(store, links, () => true)) ?? {});
  const back = new Map(Object.entries(links).map(([raw, here]) => [here, meant[raw] ?? here]));
  const whom = Object.fromEntries(people.map(([here, who]) => [back.get(here) ?? here, who]));
  return withWho(known, record, { meant, whom });
}

/**
 * Brings back what was put away of a person. Whether each record is still there is to be asked, unless a feed tells of it: nothing told
 * of its removal meanwhile.
 *
 * @returns whether the fence held to the end
 */
export async function unsealAccepted(store: Store, account: string, fence: Expectation): Promise<boolean> {
  const query = { collection: collections.acceptedSealed, where: [{ index: "account", anyOf: [account] }] };
  const move = async (found: StoredDocument) => {
    return { collection: collections.accepted, key: found.key.slice(account.length + 1) };
  };
  const note = ({ key }: DocumentKey) => ({ collection: collections.untold, key, version: 1, body: "" });
  return moveAll(store, query, { move, fence, note });
}

interface Moving {
  /** Where a document goes. Two may go to one place, for a record may have been here twice. */
  readonly move: (found: StoredDocument) => Promise<DocumentKey>;
  readonly fence: Expectation;
  readonly account?: string;
  /** What becomes of what is kept of a record. */
  readonly kept?: (found: StoredDocument) => Promise<readonly Accepted[]>;
  /** What is written beside each. */
  readonly note?: (place: DocumentKey) => Document;
}

async function moveAll(
  store: Store,
  query: Omit<Parameters<Store["query"]>[0], "limit">,
  { move, fence, account, kept = async (accepted) => acceptedIn({ accepted }), note }: Moving,
): Promise<boolean> {
  for (let failed = 0; failed < mostFailures; ) {
    const { documents } = await store.query({ ...query, limit: batch });
    if (documents.length === 0) return true;
    const places = await Promise.all(documents.map(move));
    const [there, lists] = [await store.get(places), await Promise.all(documents.map(kept))];
    const put = new Map<string, Document>();
    places.forEach((at, i) => {
      const [present, accepted] = [put.get(at.key) ?? there[i], lists[i] ?? []];
      const all = present ? together(present.body as unknown as readonly Accepted[], accepted) : accepted;
      put.set(at.key, documentOf(at, there[i], all, account));
    });
    const remove = documents.map(({ collection, key }) => ({ collection, key }));
    const known = documents.map((found) => unchanged(found, found));
    const targets = [...new Map(places.map((at, i) => [at.key, unchanged(at, there[i])])).values()];
    const expect = [fence, ...known, ...targets];
    const notes = note ? [...put.values()].map(note) : [];
    const result = await store.commit({ expect, put: [...put.values(), ...notes], remove });
    if (!result.ok && result.failures.some(isOf(fence))) return false;
    failed = result.ok ? 0 : failed + 1;
  }
  return false;
}
