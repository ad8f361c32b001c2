import type { JsonObject } from "@fieldroll/core";
import type { Verdict } from "../model/verdict.ts";
import type { Checked } from "../transport/verdict-in.ts";
import { type Stop, stopOf } from "./stop.ts";

/** What a request that got no answer in time weighs as trouble. */
const weightOfTimeout = 3;

/** What came of one request. */
export type StepResult =
  /** A verdict came, or there was nothing to send. */
  | { readonly kind: "sent" }
  /** It waits for something that only time brings. */
  | { readonly kind: "waits" }
  /** The server failed on this request, or took too long for it. */
  | { readonly kind: "failed"; readonly weight: number }
  | { readonly kind: "stopped"; readonly stop: Stop };

/** How a request fared, for those after it. */
export function resultOf(reply: Checked<JsonObject>, verdict: Verdict): StepResult {
  if (reply.kind === "broken") return { kind: "failed", weight: 1 };
  if (reply.kind === "no-answer" && reply.why !== "network") {
    return { kind: "failed", weight: reply.why === "timeout" ? weightOfTimeout : 1 };
  }
  const stop = stopOf(reply);
  if (stop) return { kind: "stopped", stop };
  return { kind: verdict.kind === "unknown" ? "waits" : "sent" };
}
