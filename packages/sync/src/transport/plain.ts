import { isJsonObject, type Json, type JsonObject, type ResourceType, referenceTo } from "@fieldroll/core";
import { versionOf } from "../model/content.ts";
import { type PlainTurn, plainNext, plainTurn } from "../model/plain-cursor.ts";
import { isPlainEpoch, plainMark } from "../model/plain-epoch.ts";
import { type PulledPage, recordIn } from "./page-in.ts";
import type { Reply } from "./reply.ts";

/** A server that has only what the specification describes: no change feed, no idempotency keys. */
export interface PlainServer {
  readonly plain: true;
  /** Its extensions by type, as `_extensions` names them. */
  readonly names: Readonly<Record<string, string>>;
}

/** What a server offers. */
export type ServerKind = { readonly plain: false } | PlainServer;

/** One that has a change feed, and what else goes with it. */
export const fullServer: ServerKind = { plain: false };

/** Reads a capability statement; `undefined` for what is none. */
export function kindIn({ features, extension }: JsonObject): ServerKind | undefined {
  if (isJsonObject(features) && features.changes !== undefined) return fullServer;
  if (!Array.isArray(extension)) return undefined;
  const names: Record<string, string> = {};
  for (const { url, appliesTo } of extension.filter(isJsonObject)) {
    const name = String(url).split(":").at(-1) ?? "";
    for (const type of Array.isArray(appliesTo) ? appliesTo : []) {
      names[String(type)] = [...(names[String(type)]?.split(",") ?? []), name].join(",");
    }
  }
  return { plain: true, names };
}

/** The kind of server that an epoch comes from; `undefined` for none. */
export function kindOfEpoch(epoch: string | null | undefined): ServerKind | undefined {
  if (typeof epoch !== "string") return undefined;
  if (!isPlainEpoch(epoch)) return fullServer;
  return { plain: true, names: JSON.parse(epoch.slice(plainMark.length)) as Record<string, string> };
}

/** What to read of a plain server, and how far it was read. */
export interface PlainRequest {
  readonly types: readonly ResourceType[];
  readonly cursor: string | null;
  readonly limit: number;
}

/**
 * Asks for the next of what changed, by search, and gives the answer as a page of a feed. Programs and enrollments may not be
 * for this device, or not be there at all.
 *
 * @param get sends a request to a path below the API's root
 * @returns `null` for an answer that is none
 */
export async function searchChanges(
  get: (path: string) => Promise<Reply>,
  { types, cursor, limit }: PlainRequest,
  { names }: PlainServer,
): Promise<Exclude<Reply, { kind: "ok" }> | PulledPage | null> {
  const turn = plainTurn(cursor, types);
  const epoch = plainMark + JSON.stringify(names);
  if (!turn) return { items: [], cursor: "", more: false, epoch, plain: true };
  const { type } = turn;
  const reply = await get(pathOf(turn, limit, names[type]));
  if (reply.kind !== "ok" && !(isOptional(type) && isMissing(reply))) return reply;
  const answer = reply.kind === "ok" ? answerIn(type, reply.body) : { records: [], next: null };
  if (!answer) return null;
  const items = answer.records.map((record) => ({
    ...{ type, key: "", reference: referenceTo(type, record), versionId: String(versionOf(record)) },
    ...{ change: "upsert" as const, record, reason: "", keyless: true },
  }));
  return { items, ...plainNext(cursor, types, answer), epoch, plain: true };
}

function pathOf({ type, since, page }: PlainTurn, limit: number, extensions: string | undefined): string {
  const query = new URLSearchParams({
    limit: String(limit),
    ...(since !== null && { _lastUpdated: `ge${since}` }),
    ...(page !== null && { cursor: page }),
    ...(extensions && { _extensions: extensions }),
  });
  return `/${type}?${query.toString()}`;
}

function isOptional(type: ResourceType): boolean {
  return type === "Program" || type === "ProgramMembership";
}

function isMissing(reply: Reply): boolean {
  return reply.kind === "problem" && (reply.problem === "not-found" || reply.missingScope !== null);
}

/** No page is the last one unless the server says so. */
function answerIn(type: ResourceType, { data, pagination }: JsonObject) {
  if (!Array.isArray(data) || !isJsonObject(pagination)) return undefined;
  const { has_more: more, next_cursor: next } = pagination;
  const goesOn = typeof next === "string" && more !== false;
  if (!goesOn && more !== false && next !== null) return undefined;
  const records = data.map((record: Json) => (isJsonObject(record) ? recordIn(type, record) : undefined));
  if (!records.every((record) => record !== undefined)) return undefined;
  return { records, next: goesOn ? next : null };
}
