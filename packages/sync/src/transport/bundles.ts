import { isJsonObject, type Json, type JsonObject, type ResourceType } from "@fieldroll/core";
import {
  afterHanging,
  alone,
  type BundleLimits,
  bundlePart,
  bundleText,
  lowered,
  raised,
} from "../model/bundle.ts";
import type { FrozenRequest, OutboxEntry } from "../model/entry.ts";
import { classifyPart, type Reply } from "./reply.ts";
import type { ApiRequest } from "./transport.ts";
import { type Checked, noVerdict, readIn, verdictIn } from "./verdict-in.ts";

/** An entry with the request that travels. */
export type Travelling = OutboxEntry & { readonly request: FrozenRequest };

/** What came of requests that travelled together. */
export type TogetherReply =
  /** A reply each, in their order. */
  | { readonly kind: "each"; readonly replies: readonly Checked<JsonObject>[] }
  /** The bundle was not performed: fewer together, or each alone, may be. */
  | { readonly kind: "refused" }
  /** Nobody knows what became of any of them. */
  | { readonly kind: "none"; readonly reply: NoVerdict };

/** A reply that decides nothing. */
export type NoVerdict = Exclude<Checked<JsonObject>, { kind: "value" | "problem" }>;

/** Sends several requests as one, where the server knows each by a key of its own: contract section 5, `$batch`. */
export interface Bundles {
  /** How much may travel together by what is known now. */
  limits(): Promise<BundleLimits>;
  /** Sends frozen requests. Their order is no promise: none may depend on another. */
  write(entries: readonly Travelling[]): Promise<TogetherReply>;
  /** Fetches records as they are now; a reply each. */
  read(
    references: readonly { readonly type: ResourceType; readonly reference: string }[],
  ): Promise<TogetherReply>;
}

export interface BundlesOptions {
  readonly send: (request: ApiRequest) => Promise<Reply>;
  /** The address of the operation. */
  readonly url: string;
  /** How many requests the server announces to take in one; 1 where it takes none that have keys of their own. */
  readonly announced: () => Promise<number>;
  readonly mind: LimitsInMind;
}

/** How much may travel together by what was refused, and by what hung, which may have done so for other reasons. */
export interface LimitsInMind {
  taken: BundleLimits;
  prudent: BundleLimits;
  /** Whether the server takes a record's key in the tag of a version, where it has said so. */
  keyed?: boolean;
  /** Whether the server takes the skew of the clock that the dates of a write were made by. */
  clockSkew?: boolean;
}

/** Statuses by which a server, or what stands before it, says that it takes no bundles, or none of this caller. */
const unsupported: readonly number[] = [403, 404, 405];

export function createBundles({ send, url, announced, mind }: BundlesOptions): Bundles {
  async function exchange(parts: readonly string[]): Promise<TogetherReply | readonly Reply[]> {
    const body = bundleText(parts);
    const headers = { "content-type": "application/json" };
    const reply = await send({ method: "POST", url, headers, body });
    const size = { entries: parts.length, bytes: body.length };
    if (reply.kind === "ok") {
      if (size.entries >= mind.prudent.entries) mind.prudent = raised(mind.prudent);
      return repliesIn(reply.body, parts.length) ?? { kind: "none", reply: noVerdict };
    }
    if (reply.kind === "problem" || isUnsupported(reply)) {
      mind.taken = afterRefusal(mind.taken, size, reply);
      return { kind: "refused" };
    }
    if (reply.kind === "no-answer" && reply.why === "timeout") mind.prudent = afterHanging(size);
    return { kind: "none", reply };
  }

  return {
    async limits() {
      const entries = Math.min(mind.taken.entries, mind.prudent.entries);
      return {
        entries: entries === 1 ? 1 : Math.min(entries, await announced()),
        bytes: Math.min(mind.taken.bytes, mind.prudent.bytes),
      };
    },
    async write(entries) {
      const isNamed = mind.keyed !== false;
      const parts = entries.map(({ request }) => bundlePart(request, isNamed, mind.clockSkew));
      const found = await exchange(parts);
      if ("kind" in found) return found;
      return {
        kind: "each",
        replies: entries.map(({ type, request }, place) => {
          return verdictIn(found[place] ?? noVerdict, type, request);
        }),
      };
    },
    async read(references) {
      const parts = references.map(({ reference }) =>
        JSON.stringify({ request: { method: "GET", url: reference } }),
      );
      const found = await exchange(parts);
      if ("kind" in found) return found;
      const replies = references.map(({ type }, place) => readIn(found[place] ?? noVerdict, type));
      return { kind: "each", replies };
    },
  };
}

function isUnsupported(reply: Reply): boolean {
  return reply.status !== undefined && unsupported.includes(reply.status);
}

function afterRefusal(limits: BundleLimits, refused: BundleLimits, reply: Reply): BundleLimits {
  if (isUnsupported(reply)) return alone;
  return reply.status === 413 ? lowered(limits, refused) : limits;
}

/** The answers of a bundle; `undefined` for what is none, and for another number of them than was asked for. */
function repliesIn({ type, entry }: JsonObject, count: number): readonly Reply[] | undefined {
  if (type !== "batch-response" || !Array.isArray(entry) || entry.length !== count) return undefined;
  return entry.map((part: Json) => (isJsonObject(part) ? classifyPart(part) : noVerdict));
}
