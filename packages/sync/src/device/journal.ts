import type { Expectation, Policies, Store, StoredDocument } from "@fieldroll/core";
import { addEdit } from "../model/edits.ts";
import { entryId } from "../model/entry.ts";
import { collections } from "./documents.ts";
import { entryDocument, entryOf } from "./outbox.ts";

/** The part of a registry's policies that makes it a device's. */
export type DevicePolicies = Required<
  Pick<Policies, "audit" | "extensions" | "feeds" | "follow" | "stamp" | "journal">
>;

/**
 * Makes every write of a registry an edit: the outbox entry commits together with the record, or neither does. The
 * version shown stays the server's, for only the server counts versions.
 */
export function devicePolicies(options: {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => Date;
}): DevicePolicies {
  const { store, newId, clock } = options;
  return {
    feeds: () => [],
    audit: false,
    extensions: "always",
    follow: false,
    stamp: (previous, caller, now) =>
      previous ?? { versionId: "0", lastUpdated: now, source: `urn:service:device:${caller.clientId}` },
    async journal(changes) {
      const keys = changes.map(({ type, key }) => ({
        collection: collections.outbox,
        key: entryId(type, key),
      }));
      const found = keys.length > 0 ? await store.get(keys) : [];
      const at = clock().toISOString();
      const put = changes.map((change, i) => {
        const document = found[i];
        const { type, key, before, after, caller } = change;
        const local = { type, key, before, after, by: caller.clientId, at };
        return entryDocument(addEdit(document ? entryOf(document) : null, local, newId()), document);
      });
      return { put, expect: keys.map((key, i) => unchanged(key, found[i])) };
    },
  };
}

/** Expects a document as it was read, present or not. */
export function unchanged(
  key: { readonly collection: string; readonly key: string },
  document: StoredDocument | undefined,
): Expectation {
  return document
    ? { kind: "version", collection: key.collection, key: key.key, version: document.version }
    : { kind: "absent", collection: key.collection, key: key.key };
}
