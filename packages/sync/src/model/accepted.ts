import {
  contentOf,
  diffMergePatch,
  isJsonObject,
  type JsonObject,
  type Links,
  sameJson,
  type WrittenReference,
} from "@fieldroll/core";
import { tellsVersion, versionOf, whoIn } from "./content.ts";
import { type Edit, type FrozenRequest, nameIn, type OutboxEntry } from "./entry.ts";
import { isPlainEpoch } from "./plain-epoch.ts";
import { type Done, doneAgain, overlaid, takenBack } from "./redo.ts";

/** A request that the server accepted, with what it takes to give it again to a server that lost it. */
export interface Accepted extends Done {
  /** The state of the server's data that accepted it; `null` where none had been read yet. */
  readonly epoch: string | null;
  /** Of the answer. */
  readonly versionId: number;
  /** The record's, as printed: it may come back under another key. */
  readonly reference: WrittenReference;
  /** UTC instant of the answer. */
  readonly at: string;
  /** The last edit that it carried stands for all of them. */
  readonly edit: Pick<Edit, "id" | "at" | "by">;
  /** Whether this is a part only of what that one said: without its photo, which came by another request, or what a restored server shows of it. */
  readonly isPart?: boolean;
  /** Where it gave back a record that the server had lost: the members that its edits had changed, as they were before; `null` for none. */
  readonly upon?: JsonObject;
  /** Whether a restored server had lost what it changed together with it: whoever made that may give it back, and so undo this. */
  readonly isMoot?: boolean;
  /** In the last one that was put away: what says who the record is of, for that is forgotten meanwhile. */
  readonly who?: JsonObject;
  /** In the same: whom its references mean, and who that is, as in an entry. */
  readonly meant?: Links;
  readonly whom?: Readonly<Record<string, JsonObject>>;
}

/** The most requests that are kept of one record one by one, beside the one that made it. */
const mostKept = 50;

/** What to keep of an accepted request; nothing at a server without epochs, which can't tell that it was restored. */
export function acceptedOf(
  { base, edits, reference, lost }: OutboxEntry,
  { sent, covers, parts, epoch = null }: Pick<FrozenRequest, "sent" | "covers" | "parts" | "epoch">,
  { answer, at }: { readonly answer: JsonObject; readonly at: string },
): Accepted | undefined {
  const whole = edits.filter(({ id }) => covers.includes(id)).at(-1);
  const edit = whole ?? edits.filter(({ id }) => parts?.includes(id)).at(-1);
  if (!edit || isPlainEpoch(epoch)) return undefined;
  const [from, to] = [contentOf(base ?? {}), contentOf(sent)];
  const members = changed(from, to);
  const upon = lost && !base ? contentOf(lost) : null;
  const own = upon ? changed(upon, to).map((name) => [name, upon[name] ?? null]) : [];
  const { id, at: madeAt, by } = edit;
  return {
    ...{ epoch, versionId: versionOf(answer), reference, at, edit: { id, at: madeAt, by } },
    before: base && only(members, from),
    after: only(members, to),
    ...(own.length > 0 && { upon: Object.fromEntries(own) }),
    ...(!whole && { isPart: true }),
  };
}

/** Members that two records have otherwise. */
function changed(from: JsonObject, to: JsonObject): readonly string[] {
  return Object.keys({ ...from, ...to }).filter((name) => !sameJson(from[name], to[name]));
}

function only(members: readonly string[], record: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => members.includes(name)));
}

/** A record with the photo that was accepted from here last, where it has none: one that comes back has come without. */
export function withAcceptedPhoto(record: JsonObject, accepted: readonly Accepted[]): JsonObject {
  const { after } =
    accepted.filter((each) => (each.before?.photo ?? each.after.photo) !== undefined).at(-1) ?? {};
  return record.photo !== undefined || after?.photo === undefined
    ? record
    : { ...record, photo: after.photo };
}

/** A record's accepted requests with one more. */
export function withAccepted(known: readonly Accepted[], next: Accepted): readonly Accepted[] {
  const first = known.find(({ before }) => before === null);
  const others = [...known.filter((each) => each !== first), next];
  const kept = others.length > mostKept ? oneFewer(others) : others;
  return first ? [first, ...kept] : kept;
}

/** The oldest two that may be as one; where none may, all stay, for what is forgotten can't be given again. */
function oneFewer(changes: readonly Accepted[]): readonly Accepted[] {
  const folds = changes.flatMap((each, i) => folded(changes[i - 1], each) ?? []);
  const fold = folds.find(({ isSafe }) => isSafe) ?? folds[0];
  return changes.flatMap((each) => (each === fold?.former ? [] : each === fold?.later ? fold.both : each));
}

/**
 * Two changes that one state of the server's data accepted, one after the other, as one. What others changed in between is as it was
 * before it, too.
 *
 * @returns `isSafe`: whether a backup from in between is still given the later one, or a person asked. It is not where that took back
 *   the former, and photos are told by the version that first had them
 */
export function folded(former: Accepted | undefined, later: Accepted) {
  if (!former?.before || !later.before || former.epoch !== later.epoch) return undefined;
  const { type } = nameIn(later.reference);
  const between = overlaid(former.after, later, "before");
  const before = takenBack(type, between, [former]);
  const after = overlaid(between, later, "after");
  const { isPart: _, ...rest } = former;
  const both: Accepted = { ...rest, ...later, before, after };
  const hasPhoto = (before.photo ?? after.photo) !== undefined;
  return { former, later, both, isSafe: !hasPhoto && sameJson(doneAgain(type, between, [both]), after) };
}

/** What is kept of one record in two places, oldest first; of an edit that both have, what was accepted last. */
export function together(one: readonly Accepted[], other: readonly Accepted[]): readonly Accepted[] {
  const sorted = [...one, ...other].sort((a, b) => Date.parse(a.at) - Date.parse(b.at));
  const name = ({ edit, isPart }: Accepted) => (isPart ? `${edit.id}/part` : edit.id);
  const byName = new Map(sorted.map((each) => [name(each), each]));
  return sorted.filter((each) => byName.get(name(each)) === each).reduce(withAccepted, []);
}

/** What is kept of a record that is about to be forgotten. */
export function withWho(
  known: readonly Accepted[],
  record: JsonObject,
  meaning: Pick<Accepted, "meant" | "whom">,
): readonly Accepted[] {
  const who = whoIn(record);
  return known.map((each, i) => (i < known.length - 1 ? each : { ...each, who, ...meaning }));
}

/** Those of a record's accepted requests that another state of the server's data accepted, or nobody knows which. */
export function lostIn(known: readonly Accepted[], epoch: string): readonly Accepted[] {
  return known.filter((each) => each.epoch !== epoch);
}

/** Of these, the changes: that a record is there shows that it was made, here or by another device that gave it back. */
export function changesLostIn(known: readonly Accepted[], epoch: string | null): readonly Accepted[] {
  return known.filter((each) => each.epoch !== epoch).flatMap(changeIn);
}

function changeIn({ upon, ...each }: Accepted): readonly Accepted[] {
  if (each.before || !upon) return each.before ? [each] : [];
  const members = Object.keys(upon);
  const had = members.filter((name) => upon[name] !== null);
  return [{ ...each, before: only(had, upon), after: only(members, each.after) }];
}

/** What accepted requests did, as edits to be sent, and those that are not sent yet; an edit that a file brought back is both. */
export function editsAgain(accepted: readonly Accepted[], unsent: readonly Edit[]): readonly Edit[] {
  const again = accepted.map(({ edit, before, after }) => ({
    ...edit,
    again: true,
    patch: diffMergePatch(before ?? {}, after) as JsonObject,
  }));
  return [...again.filter(({ id }) => !unsent.some((each) => each.id === id)), ...unsent];
}

/** A copy whose version no server has: the number that it had may be another version's by now. */
export function unversioned(record: JsonObject): JsonObject {
  return tellsVersion(record) && isJsonObject(record.meta)
    ? { ...record, meta: { ...record.meta, versionId: "0" } }
    : record;
}

/** Whether a copy is such a one. */
export function isUnversioned(record: JsonObject | null | undefined): boolean {
  return record != null && tellsVersion(record) && versionOf(record) === 0;
}
