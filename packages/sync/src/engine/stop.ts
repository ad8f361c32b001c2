import type { NetworkProblem } from "../status-types.ts";
import type { Reply } from "../transport/reply.ts";
import type { Checked } from "../transport/verdict-in.ts";
import type { Attempt } from "../types.ts";

/** Why a run ends before its work does: what stands in the way of one request stands in the way of all. */
export interface Stop {
  /**
   * What is in the way. `unreadable`: the store failed, and not for want of room, so that another tab may fare better
   * with it. `here`: wanted on this device, and no failure.
   */
  readonly why: "network" | "unavailable" | "sign-in" | "store" | "unreadable" | "here";
  /** A sentence for people. */
  readonly detail: string;
  /** How long the server asks to be left alone, in milliseconds. */
  readonly retryAfter: number | null;
  /** What the status says of the network, where that is what is in the way. */
  readonly network?: NetworkProblem["reason"];
}

/** Whether a reply speaks of the whole server, or the whole network, and not of the one request. */
export function stopOf(reply: Reply | { readonly kind: "value" }): Stop | null {
  switch (reply.kind) {
    case "unauthorized":
      return { why: "sign-in", detail: reply.detail, retryAfter: null };
    case "unavailable":
      return { why: "unavailable", detail: reply.detail, retryAfter: reply.retryAfter };
    case "no-answer":
      if (reply.why === "not-the-api") return null;
      return { why: "network", detail: reply.detail, retryAfter: null, ...networkIn(reply) };
    default:
      return null;
  }
}

/** What a reply shows of the network; nothing where the server is slow, or answers. */
export function networkIn(reply: Reply): Pick<Stop, "network"> {
  if (reply.kind !== "no-answer") return {};
  if (reply.isPortal) return { network: "captive-portal" };
  return reply.why === "network" ? { network: "no-connection" } : {};
}

/** What a reply to a write says, for people who look why a record waits. */
export function answerIn(reply: Checked<unknown>): Omit<Attempt, "at"> {
  return { status: reply.status ?? null, message: reply.kind === "value" ? null : reply.detail };
}
