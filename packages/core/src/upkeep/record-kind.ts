import { isJsonObject, type JsonObject, sameJson } from "../json.ts";
import { beneficiaryOf } from "../registry/feed/feed-owner.ts";
import { recordFeeds } from "../registry/feed/feeds.ts";
import { recordDocument, recordKey, type StoredRecord, storedRecord } from "../registry/record/document.ts";
import { contentOf, identifiersOf, referencesOf, storedForm, wireForm } from "../registry/record/stored.ts";
import { photoKey } from "../registry/record/stored-photo.ts";
import type { Settings } from "../registry/settings.ts";
import { metaOf, versionOf } from "../registry/write/precondition.ts";
import { canonicalReference, typeIn } from "../resource/reference.ts";
import { validateRecord } from "../resource/schemas.ts";
import type { ResourceType } from "../resource/types.ts";
import type { StoredDocument } from "../store/port.ts";
import { joinedKey } from "../store/rules.ts";
import { declaredIn, type KeptKind, type KeptReference, type Targets } from "./kept-kind.ts";

/** Records of one type. A server's registry gives them no claims but those of their content. */
export function recordKind(settings: Settings, type: ResourceType): KeptKind {
  return {
    collection: type,
    bodyFaults: (document) => recordFaults(settings, storedRecord(document)),
    references: (document) => recordReferences(storedRecord(document)),
    declared: (document, targets) => {
      const stored = storedRecord(document);
      const feeds = recordFeeds(settings.policies, stored, beneficiaryAmong(stored, targets));
      return declaredIn(recordDocument({ ...stored, feeds, aliases: [] }));
    },
    trail: (document) => {
      const { record, key } = storedRecord(document);
      return { record: `${type}/${key}`, version: Number(versionOf(record)), ...lastChange(record) };
    },
  };
}

function lastChange(record: JsonObject) {
  const at = metaOf(record)?.lastUpdated;
  return at === undefined ? {} : { at };
}

function recordFaults({ schemas }: Settings, { type, record, links }: StoredRecord): readonly string[] {
  if (!isJsonObject(record) || !isJsonObject(links)) return ["has no record with its links"];
  const said = record.type === type ? [] : [`is kept as ${type}, and says that it is something else`];
  const meta = metaOf(record);
  const stamped = meta !== null && /^[1-9]\d{0,15}$/.test(meta.versionId) && isInstant(meta.lastUpdated);
  const printed = contentOf(wireForm(type, record));
  const stored = sameJson(storedForm(type, printed), contentOf(record));
  // A photo that is a document of its own is looked at there.
  const { photo, ...others } = printed;
  const valid = validateRecord(type, photoKey(photo) ? others : printed, schemas);
  const faults = valid.ok ? [] : (valid.problem.errors ?? []);
  return [
    ...said,
    ...(stamped ? [] : ["has no meta with a version and an instant"]),
    ...(stored ? [] : ["is not in the form in which records are stored"]),
    ...faults.map(({ field, code }) => `${field === "" ? "the record" : field} is refused as ${code}`),
  ];
}

function isInstant(text: unknown): boolean {
  return typeof text === "string" && !Number.isNaN(Date.parse(text));
}

/** A member that left is not followed when it gets another identifier: it is known by its link. */
function recordReferences({ type, record, links }: StoredRecord): readonly KeptReference[] {
  const uses = referencesOf(type, record);
  const photo = photoKey(record.photo);
  const toOthers = uses.map(({ pointer, reference }): KeptReference => {
    const key = links[reference];
    const to = key === undefined ? [] : [recordKey(typeIn(reference), key)];
    return {
      to,
      what: pointer,
      decides: type === "ProgramMembership",
      ...(!hasLeft(record, pointer) && { name: reference }),
    };
  });
  return photo ? [...toOthers, { to: [photo], what: "/photo" }] : toOthers;
}

function hasLeft({ member }: JsonObject, pointer: string): boolean {
  const place = /^\/member\/(\d+)\//.exec(pointer)?.[1];
  const item = Array.isArray(member) ? member[Number(place)] : undefined;
  return isJsonObject(item) && item.inactive === true;
}

function beneficiaryAmong(stored: StoredRecord, targets: Targets) {
  const at = stored.type === "ProgramMembership" ? beneficiaryOf(stored) : undefined;
  const record = at && targets.get(joinedKey(recordKey(at.type, at.key)))?.record;
  return at && isJsonObject(record) ? { type: at.type, record } : undefined;
}

/** What a record is called, and what it says, for those that refer to it. */
export function recordAsTarget(document: StoredDocument) {
  const { type, record } = storedRecord(document);
  const { photo: _, ...content } = record;
  return {
    names: identifiersOf(record).map((identifier) => canonicalReference(type, identifier)),
    record: content,
    shown: Number(versionOf(record)),
  };
}
