import type { JsonObject } from "../json.ts";
import { photoKey } from "../registry/record/stored-photo.ts";
import type { Settings } from "../registry/settings.ts";
import { systemCollection } from "../registry/system-documents.ts";
import type { DocumentKey, Expectation, Position, StoredDocument } from "../store/port.ts";
import { auditCollection, auditEntries, toSecond } from "./document.ts";
import { undone } from "./undo.ts";

/** How long the audit trail is kept, in days. What is not named is kept for good. */
export interface Retention {
  /** Entries of reads. */
  readonly reads?: number;
  /** Entries of changes, and with them the versions that `$history` tells: 180 at least. */
  readonly changes?: number;
}

/** Until when entries were forgotten: instants, UTC. */
export interface Forgotten {
  readonly reads?: string;
  readonly changes?: string;
}

/** As long as answers are kept: readers of feeds who come back by then are told what they lost by the entries of changes. */
const shortestChanges = 180;

/** Documents of one commit. */
const atOnce = 200;

const place = { collection: systemCollection, key: "audit-forgotten" };

/** Reads until when entries were forgotten. */
export async function forgottenUntil({ store }: Pick<Settings, "store">): Promise<Forgotten> {
  const [document] = await store.get([place]);
  return (document?.body ?? {}) as Forgotten;
}

/**
 * Removes audit entries that are kept no longer, as many as one commit takes, oldest first. That the evidence of a consent was
 * erased stays told. The commit notes how far it came, so that the next call goes on there, in any process.
 *
 * @returns how many documents of the trail were removed; 0 when there is nothing left to do, or another process is at it
 */
export async function forgetOldEntries(settings: Settings): Promise<number> {
  const { reads, changes } = settings.config.retention ?? {};
  if (reads !== undefined) {
    const removed = await forget(settings, { part: "reads", days: reads });
    if (removed > 0) return removed;
  }
  if (changes === undefined) return 0;
  return forget(settings, { part: "changes", days: Math.max(changes, shortestChanges) });
}

const kinds = { reads: "read", changes: "change" } as const;

async function forget(
  settings: Settings,
  { part, days }: { readonly part: keyof Forgotten; readonly days: number },
): Promise<number> {
  const now = settings.now();
  const below = new Date(Date.parse(now) - days * 86_400_000).toISOString();
  const [note] = await settings.store.get([place]);
  const from = ((note?.body ?? {}) as Forgotten)[part];
  // By a clock that was ahead: nobody would forget what is written until then, and no reader would get on.
  if (from !== undefined && from > now)
    return (await isBehind(settings, now)) ? 0 : take(settings, { note, part, until: now, remove: [] });
  if (from !== undefined && from >= below) return 0;
  const found = await oldest(settings, { kind: kinds[part], below, ...(from !== undefined && { from }) });
  if (found.remove.length === 0) return 0;
  return take(settings, { note, part, ...found });
}

/** Whether it is this clock that is wrong, as later entries show: by it, readers would not be told that what they lost is forgotten. */
async function isBehind({ store }: Settings, now: string): Promise<boolean> {
  const where = [{ index: "at", from: toSecond(now) }];
  const { documents } = await store.query({ collection: auditCollection, where, limit: 1 });
  return documents.length > 0;
}

interface Taking {
  readonly note: StoredDocument | undefined;
  readonly part: keyof Forgotten;
  readonly until: string;
  readonly remove: readonly StoredDocument[];
}

/** Removes documents and notes until when there are none, unless another process did meanwhile; answers how many. */
async function take({ store }: Settings, { note, part, until, remove }: Taking): Promise<number> {
  const expectation: Expectation = note
    ? { kind: "version", ...place, version: note.version }
    : { kind: "absent", ...place };
  const body = { ...((note?.body ?? {}) as Forgotten), [part]: until } as unknown as JsonObject;
  const { ok } = await store.commit({
    expect: [expectation],
    put: [{ ...place, version: (note?.version ?? 0) + 1, body }],
    remove: remove.flatMap((document) => [keyOf(document), ...replacedPhotos(document)]),
  });
  return ok ? remove.length : 0;
}

function keyOf({ collection, key }: DocumentKey): DocumentKey {
  return { collection, key };
}

/** The photos that the changes of a document took out of their records: nothing else refers to them. */
function replacedPhotos(document: StoredDocument): readonly DocumentKey[] {
  return auditEntries(document).flatMap(({ fields, undo = null }) => {
    if (fields === "all" || !fields.includes("photo")) return [];
    const key = photoKey(undone({}, undo)?.photo);
    return key ? [key] : [];
  });
}

interface Span {
  readonly kind: (typeof kinds)[keyof typeof kinds];
  readonly from?: string;
  readonly below: string;
}

/** The first documents of a span that can go, and until when there are none before them. */
async function oldest(
  { store }: Settings,
  { kind, from, below }: Span,
): Promise<{ readonly remove: readonly StoredDocument[]; readonly until: string }> {
  const where = [
    // Later entries of a document are found by their second.
    { index: "at", below, ...(from !== undefined && { from: toSecond(from) }) },
    { index: "kind", anyOf: [kind] },
  ];
  let after: Position | undefined;
  do {
    const page = await store.query({
      collection: auditCollection,
      where,
      sort: { index: "at" },
      limit: atOnce,
      ...(after && { after }),
    });
    after = page.next;
    const remove = page.documents.filter((document) => isOver(document, below));
    if (remove.length > 0) return { remove, until: after?.value ?? below };
  } while (after);
  return { remove: [], until: below };
}

/** Reads of one moment are in one document: it goes when all of them do. */
function isOver(document: StoredDocument, below: string): boolean {
  return auditEntries(document).every(
    ({ at, versionId, undo }) => at < below && (versionId === undefined || undo !== undefined),
  );
}
