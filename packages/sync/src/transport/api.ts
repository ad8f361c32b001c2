import {
  isJsonObject,
  type Json,
  type JsonObject,
  type ResourceType,
  resourceTypes,
  storedForm,
} from "@fieldroll/core";
import type { PulledItem } from "../device/locate.ts";
import { sameContent, sameRecord, versionOf } from "../model/content.ts";
import type { FrozenRequest, OutboxEntry } from "../model/entry.ts";
import type { NoAnswer, Reply } from "./reply.ts";
import type { Session } from "./session.ts";
import type { ApiRequest } from "./transport.ts";

/** A page of a change feed as it was answered, its records in stored form. */
export interface PulledPage {
  readonly items: readonly PulledItem[];
  readonly cursor: string;
  readonly more: boolean;
  readonly epoch: string;
}

/** A reply whose body, if it has one, was checked to be what was asked for. */
export type Checked<T> = { readonly kind: "value"; readonly value: T } | Exclude<Reply, { kind: "ok" }>;

/** The requests that syncing makes. */
export interface Api {
  /** Sends a frozen request. Its value is the server's record, which is the verdict: a bare 200 is none. */
  write(entry: OutboxEntry, request: FrozenRequest): Promise<Checked<JsonObject>>;
  /** Fetches a record as it is now; `reference` as printed. */
  read(reference: string): Promise<Checked<JsonObject>>;
  changes(request: {
    readonly feed: string;
    readonly cursor: string | null;
    readonly limit: number;
  }): Promise<Checked<PulledPage>>;
}

/** @param server the API's root, without a slash at its end */
export function createApi(server: string, session: Session): Api {
  const send = async (request: ApiRequest): Promise<Reply> => addressed(await session.send(request), server);
  /** That something is not there is a verdict only of an API that is. */
  const verified = async (reply: Reply): Promise<Reply> => {
    if (reply.kind !== "problem" || reply.problem !== "not-found") return reply;
    const feed = await send({ method: "GET", url: `${server}/$changes?limit=1` });
    return feed.kind === "ok" || feed.kind === "problem" ? presentIn(feed, reply, server) : feed;
  };
  return {
    async write(entry, request) {
      const sent = await send({
        method: request.method,
        url: whole(`${server}${request.path}`),
        headers: {
          "content-type": request.contentType,
          "idempotency-key": request.key,
          ...(request.ifMatch !== null && { "if-match": `"${request.ifMatch}"` }),
        },
        body: request.body,
      });
      const reply = await verified(sent);
      if (reply.kind !== "ok") return reply;
      const record = isOwnWord(reply.body) ? recordIn(entry.type, reply.body) : undefined;
      return record && isVerdict(record, request) ? { kind: "value", value: record } : noVerdict;
    },
    async read(reference) {
      const type = resourceTypes.find((name) => reference.startsWith(`${name}/`));
      const reply = await verified(await send({ method: "GET", url: whole(`${server}/${reference}`) }));
      if (reply.kind !== "ok") return reply;
      const record = type && recordIn(type, reply.body);
      return record ? { kind: "value", value: record } : noVerdict;
    },
    async changes({ feed, cursor, limit }) {
      const query = new URLSearchParams({
        feed,
        ...(cursor !== null && { cursor }),
        limit: String(limit),
        _extensions: "*",
      });
      const reply = await send({ method: "GET", url: `${server}/$changes?${query.toString()}` });
      if (reply.kind !== "ok") return presentIn(reply, reply, server);
      const page = pageIn(reply.body);
      return page ? { kind: "value", value: page } : noVerdict;
    },
  };
}

/**
 * Asks for a record with its extensions: a device keeps whole records. It is said here and not in a frozen request, so
 * that one frozen by any version of this software is sent alike.
 */
function whole(url: string): string {
  return `${url}?_extensions=*`;
}

/** An echo of what was sent is none: the API adds a version, or says that no consent shows the record. */
function isOwnWord({ meta, _consent: consent }: JsonObject): boolean {
  return meta !== undefined || isJsonObject(consent);
}

/** A version that the request was to replace is the answer to some GET, unless it already says what was sent. */
function isVerdict(record: JsonObject, { sent, ifMatch }: FrozenRequest): boolean {
  if (!sameRecord(record, sent)) return false;
  return ifMatch === null || versionOf(record) > Number(ifMatch) || sameContent(record, sent);
}

/** The reply, unless the answer to a request for the change feed says that there is no API. */
function presentIn<T extends Reply>(feed: Reply, reply: T, server: string): T | NoAnswer {
  if (feed.kind !== "problem" || feed.problem !== "not-found") return reply;
  return {
    kind: "no-answer",
    why: "not-the-api",
    detail: `There is no registry at ${server}. ${addressAdvice(server)}`,
  };
}

/** Tells where the answer came from when it is somebody else's: the address may be wrong. */
function addressed(reply: Reply, server: string): Reply {
  if (reply.kind !== "no-answer" || reply.why !== "not-the-api") return reply;
  return { ...reply, detail: `${reply.detail} It came from ${server}. ${addressAdvice(server)}` };
}

function addressAdvice(server: string): string {
  return `Check the server's address; it looks like ${new URL(server).origin}/api/v2.`;
}

const noVerdict: NoAnswer = {
  kind: "no-answer",
  why: "not-the-api",
  detail: "The answer is not one of this API, although it says that all went well.",
};

/** A record of the API: of the type asked for, with an identifier, and with a version unless consents hide it. */
function recordIn(type: ResourceType, body: JsonObject): JsonObject | undefined {
  const { meta, identifier } = body;
  const known = body.type === type && Array.isArray(identifier) && identifier.length > 0;
  return known && (meta === undefined || hasVersion(meta)) ? storedForm(type, body) : undefined;
}

function hasVersion(meta: Json): boolean {
  return isJsonObject(meta) && typeof meta.versionId === "string" && meta.versionId !== "";
}

function pageIn(body: JsonObject): PulledPage | undefined {
  const { data, pagination, epoch } = body;
  if (!Array.isArray(data) || !isJsonObject(pagination) || typeof epoch !== "string") return undefined;
  if (typeof pagination.next_cursor !== "string") return undefined;
  const items = data.map(itemIn);
  if (!items.every((item) => item !== undefined)) return undefined;
  return { items, cursor: pagination.next_cursor, more: pagination.has_more === true, epoch };
}

/** One that can't be read makes the page no answer: a cursor goes past what was applied, and nothing else. */
function itemIn(value: Json): PulledItem | undefined {
  if (!isJsonObject(value)) return undefined;
  const { key, reference, versionId, change, reason } = value;
  const type = resourceTypes.find((name) => name === value.type);
  if (!type || typeof key !== "string" || typeof reference !== "string") return undefined;
  if (change !== "upsert" && change !== "removed") return undefined;
  const record = isJsonObject(value.record) ? recordIn(type, value.record) : undefined;
  if (change === "upsert" && !record) return undefined;
  return {
    type,
    key,
    reference,
    versionId: String(versionId),
    change,
    record: record ?? null,
    reason: typeof reason === "string" ? reason : "left-feed",
  };
}
