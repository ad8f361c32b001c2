import {
  type JsonObject,
  printShown,
  referenceTo,
  resourceTypes,
  type WrittenReference,
} from "@fieldroll/core";
import { versionTag, widest } from "../model/bundle.ts";
import type { FrozenRequest, OutboxEntry } from "../model/entry.ts";
import { isPlainCursor } from "../model/plain-cursor.ts";
import { type Bundles, createBundles, type LimitsInMind } from "./bundles.ts";
import { findNamesakes } from "./namesakes.ts";
import { headIn, type PulledPage, pageIn } from "./page-in.ts";
import { type PlainRequest, type ServerKind, searchChanges } from "./plain.ts";
import type { NoAnswer, Reply } from "./reply.ts";
import { createServerKind, type KindInMind, type KnownKind } from "./server-kind.ts";
import type { Send } from "./session.ts";
import type { ApiRequest } from "./transport.ts";
import { type Checked, isAbsent, noVerdict, readIn, verdictIn } from "./verdict-in.ts";

/**
 * The requests that syncing makes. Each asks for records with their extensions, for a device keeps whole records; it is said
 * here and not in a frozen request, so that one frozen by any version of this software is sent alike.
 */
export interface Api {
  /** Sends a frozen request. Its value is the server's record, which is the verdict: a bare 200 is none. */
  write(entry: OutboxEntry, request: FrozenRequest): Promise<Checked<JsonObject>>;
  /** Fetches a record as it is now; `reference` as printed. */
  read(reference: WrittenReference): Promise<Checked<JsonObject>>;
  /** Where a person or a group with a key may be found by now, at a server that tells keys. */
  namesakes(who: Parameters<typeof findNamesakes>[1]): ReturnType<typeof findNamesakes>;
  /** The next page of a feed, or of what stands for it at a server that has none. */
  changes(request: FeedRequest): Promise<Checked<PulledPage>>;
  /** Which state the server's data is in, as a feed tells it from there on. */
  state(request: FeedRequest): Promise<Checked<Pick<PulledPage, "epoch">>>;
  /** Sends and fetches several at a time, where the server takes them. */
  readonly together: Bundles;
  /**
   * Whether versions are named with their records' keys. @param isAsked whether the server is asked, unless it has said so; until
   * then it is taken for one that knows them
   */
  isKeyed(isAsked: boolean): Promise<boolean>;
  /** Whether the server takes the key of a record beside a reference to it. @param isAsked whether it is asked, unless it has said so */
  refersByKey(isAsked: boolean): Promise<boolean>;
  /** Whether the server has only what the specification describes, so that a request may have had its effect twice. */
  isPlain(): Promise<boolean>;
  /** Whether the server answers a small question just now. */
  answers(): Promise<boolean>;
}

type FeedRequest = PlainRequest & { readonly feed: string };

/** What the requests of a service have learned of its server; kept in mind until the service ends. */
export type ServerInMind = KindInMind & LimitsInMind;

export function nothingInMind(): ServerInMind {
  return { taken: widest, prudent: widest };
}

/**
 * Makes the API as one run asks it.
 *
 * @param server its root, without a slash at its end
 * @param epoch of what this device has read, by which the kind of server is remembered
 */
export function createApi(
  server: string,
  sendIn: Send,
  epoch: () => Promise<string | null>,
  mind: ServerInMind,
): Api {
  const send = async (request: ApiRequest): Promise<Reply> => addressed(await sendIn(request), server);
  const get = (path: string) => send({ method: "GET", url: `${server}${path}` });
  const kind = createServerKind(() => get("/metadata"), epoch, mind);
  /** That something is not there is a verdict only of an API that is. */
  const verified = async (reply: Reply, { plain }: ServerKind): Promise<Reply> => {
    if (reply.kind !== "problem" || reply.problem !== "not-found") return reply;
    const feed = await get(plain ? "/metadata" : "/$changes?limit=1");
    return feed.kind === "ok" || feed.kind === "problem" ? presentIn(feed, reply, server) : feed;
  };
  /** That a write can't be understood is none of a server that offers less than it did. */
  const fitted = async (sent: Reply, found: ServerKind, isKeyed: boolean): Promise<Reply> => {
    const unfit = sent.kind === "problem" && sent.problem === "bad-request" && !found.plain;
    const offersLess = async () => (await kind.turnedPlain()) || (isKeyed && !(await kind.keyed()));
    return unfit && (await offersLess()) ? unfitRequest : verified(sent, found);
  };
  const read = async (reference: WrittenReference): Promise<Checked<JsonObject>> => {
    const found = await kind.current();
    if ("kind" in found) return found;
    const type = resourceTypes.find((name) => reference.startsWith(`${name}/`));
    const names = found.plain ? found.names[type ?? ""] : "*";
    return readIn(
      await verified(await get(`/${reference}${names ? `?_extensions=${names}` : ""}`), found),
      type,
    );
  };
  const announced = async () => {
    const found = await kind.current();
    return "plain" in found && !found.plain ? kind.bundled() : 1;
  };
  const page = async (request: FeedRequest, readPage: typeof pageIn) => {
    const { feed, cursor, limit } = request;
    const query = new URLSearchParams({
      feed,
      ...(cursor !== null && !isPlainCursor(cursor) && { cursor }),
      limit: String(limit),
      _extensions: "*",
    });
    const found = await kind.forReading(() => get(`/$changes?${query.toString()}`));
    if (!("plain" in found)) {
      if (found.kind !== "ok") return presentIn(found, found, server);
      return checkedPage(readPage(found.body) ?? null);
    }
    return checkedPage(await searchChanges(get, request, found));
  };
  return {
    read,
    namesakes: (who) => findNamesakes(get, who),
    answers: async () => ["ok", "problem"].includes((await get("/metadata")).kind),
    together: createBundles({ send, url: `${server}/$batch?_extensions=*`, announced, mind }),
    ...offersOf(kind, mind),
    async write(entry, request) {
      const found = await kind.current();
      if ("kind" in found) return found;
      const isKeyed = !found.plain && mind.keyed !== false;
      const isDated = request.clockSkew !== undefined && !found.plain && (await kind.takesSkew());
      const sent = await send({
        method: request.method,
        url: `${server}${request.path}${found.plain ? "" : "?_extensions=*"}`,
        headers: headersOf(request, found, { isKeyed, isDated }),
        body: request.body,
      });
      const verdict = verdictIn(await fitted(sent, found, isKeyed), entry.type, request, found.plain);
      if (verdict.kind !== "value" || !found.plain || tellsExtensions(verdict, request)) return verdict;
      const whole = await read(referenceTo(entry.type, verdict.value));
      // Whoever is not shown what was made has had it made all the same.
      return isAbsent(whole) ? verdict : whole;
    },
    changes: (request) => page(request, pageIn),
    state: (request) => page(request, headIn),
  };
}

/** What is known of what a server takes. */
function offersOf(kind: KnownKind, mind: ServerInMind): Pick<Api, "isKeyed" | "refersByKey" | "isPlain"> {
  const isPlain = async () => {
    const found = await kind.current();
    return "plain" in found ? found.plain : null;
  };
  return {
    async isKeyed(isAsked) {
      if (await isPlain()) return false;
      return isAsked ? kind.keyed() : mind.keyed !== false;
    },
    async refersByKey(isAsked) {
      if ((await isPlain()) !== false) return false;
      return isAsked ? kind.refersByKey() : mind.refersByKey === true;
    },
    isPlain: async () => (await isPlain()) === true,
  };
}

/** A browser asks the server whether a header is welcome: one that it does not know must not be sent. */
function headersOf(
  request: FrozenRequest,
  { plain }: ServerKind,
  { isKeyed, isDated }: { readonly isKeyed: boolean; readonly isDated: boolean },
) {
  const tag = versionTag(request, isKeyed);
  return {
    "content-type": request.contentType,
    ...(!plain && { "idempotency-key": request.key }),
    ...(tag !== undefined && { "if-match": tag }),
    ...(isDated && { "x-clock-skew": String(request.clockSkew) }),
    ...(request.shown && { "x-record-shows": printShown(request.shown) }),
  };
}

/** The specification shows extensions in answers to reads alone. */
function tellsExtensions(
  { value, isOther }: { readonly value: JsonObject; readonly isOther?: boolean },
  { sent }: FrozenRequest,
): boolean {
  return isOther || value.extension !== undefined || sent.extension === undefined;
}

function checkedPage(page: PulledPage | Exclude<Reply, { kind: "ok" }> | null): Checked<PulledPage> {
  if (page === null) return noVerdict;
  return "kind" in page ? page : { kind: "value", value: page };
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

const unfitRequest: NoAnswer = {
  kind: "no-answer",
  why: "not-the-api",
  detail: "The server offers less than it did; the request is sent again in the way it knows.",
};
