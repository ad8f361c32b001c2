import { type Json, type JsonObject, jsonBytes } from "../../json.ts";
import type { Document, DocumentKey, Store } from "../../store/port.ts";
import type { Budget } from "../budget.ts";
import { chunkBytes } from "../every-page.ts";

/**
 * A photo is a document of its own: its record has a reference instead, with the photo's length. So a change or a list of records neither
 * reads nor writes photos, and the audit trail keeps a replaced photo by its reference.
 */
export const photoCollection = "photo";

/** No photo that a caller sends begins like this: photos are data URIs. */
const form = /^photo:(\d+):([\da-z]+):(.+)$/;

/** What the document of a photo says. */
export interface StoredPhoto {
  /** The photo as its caller sent it: a data URI. */
  readonly photo: string;
  /** The key of the person. */
  readonly of: string;
}

/** The reference to a photo, as its record has it: its length, a sample of it, and its key. */
export function photoReference(photo: string, key: string): string {
  return `photo:${photo.length}:${sampleOf(photo)}:${key}`;
}

/** Characters that are looked at. */
const sampled = 4096;

/** Tells nearly all photos apart without reading them: FNV-1a of some of the characters. */
function sampleOf(photo: string): string {
  const step = Math.max(1, Math.floor(photo.length / sampled));
  let hash = 0x811c9dc5;
  for (let at = 0; at < photo.length; at += step) hash = Math.imul(hash ^ photo.charCodeAt(at), 0x01000193);
  return (hash >>> 0).toString(36);
}

export function photoDocument(key: string, body: StoredPhoto): Document {
  return { collection: photoCollection, key, version: 1, body: { ...body } };
}

/** Names the document of a record's photo; `undefined` where the record has none, or has it within. */
export function photoKey(photo: Json | undefined): DocumentKey | undefined {
  const [, , , key] = (typeof photo === "string" && form.exec(photo)) || [];
  return key === undefined ? undefined : { collection: photoCollection, key };
}

/** How long the photo is that a record refers to, in characters; 0 where the record has none, or has it within. */
export function photoLength(photo: Json | undefined): number {
  const [, length] = (typeof photo === "string" && form.exec(photo)) || [];
  return Number(length ?? 0);
}

/** The length of a record's JSON text in UTF-8 once its photo is in it, in bytes. */
export function bytesWithPhoto(record: JsonObject): number {
  return jsonBytes(record) + photoLength(record.photo);
}

/** A record as sent; with the reference to the photo that is kept where it has the same one, for that is no change. */
export async function withKeptPhoto(
  store: Pick<Store, "get">,
  record: JsonObject,
  kept: Json | undefined,
): Promise<JsonObject> {
  const { photo } = record;
  const key = photoKey(kept);
  if (kept === undefined || !key || typeof photo !== "string") return record;
  if (kept !== photoReference(photo, key.key)) return record;
  const [document] = await store.get([key]);
  return (document?.body as StoredPhoto | undefined)?.photo === photo ? { ...record, photo: kept } : record;
}

/** As {@link withPhotos}, within the budget of a request. */
export async function shownPhotos(
  {
    store,
    budget,
  }: { readonly store: Pick<Store, "get">; readonly budget: Pick<Budget, "handle" | "pause"> },
  records: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  await budget.handle(records.reduce((sum, { photo }) => sum + photoLength(photo), 0));
  const whole = await withPhotos(store, records);
  await budget.pause();
  return whole;
}

/** Records with their photos in the place of references. A photo that is not in the store is left out. */
export async function withPhotos(
  store: Pick<Store, "get">,
  records: readonly JsonObject[],
): Promise<readonly JsonObject[]> {
  const whole = [...records];
  for (const part of chunksOf(records)) {
    const documents = await store.get(part.map(({ key }) => key));
    for (const [nth, { at, record }] of part.entries()) {
      const { photo: _, ...rest } = record;
      const found = documents[nth]?.body as StoredPhoto | undefined;
      whole[at] = found ? { ...record, photo: found.photo } : rest;
    }
  }
  return whole;
}

interface Wanted {
  readonly at: number;
  readonly record: JsonObject;
  readonly key: DocumentKey;
}

/** Photos that are read together. */
function chunksOf(records: readonly JsonObject[]): readonly (readonly Wanted[])[] {
  const chunks: Wanted[][] = [];
  let bytes = 0;
  for (const [at, record] of records.entries()) {
    const { photo } = record;
    const key = photoKey(photo);
    if (!key) continue;
    bytes += photoLength(photo);
    const last = chunks.at(-1);
    if (last && bytes <= chunkBytes) {
      last.push({ at, record, key });
    } else {
      chunks.push([{ at, record, key }]);
      bytes = photoLength(photo);
    }
  }
  return chunks;
}
