import type { ResourceType } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { summaries } from "../device/outbox.ts";
import { entryIn, loadWork, localIn } from "../device/work.ts";
import { longestDelay } from "../model/backoff.ts";
import type { OutboxEntry, Settled } from "../model/entry.ts";
import { freeze } from "../model/freeze.ts";
import { plan } from "../model/plan.ts";
import { endAll } from "../model/rebase.ts";
import { settle } from "../model/settle.ts";
import type { SyncContext } from "./context.ts";
import { seePhoto } from "./see-photo.ts";
import { type Stop, stopOf } from "./stop.ts";
import { type Answered, verdictOf } from "./verdict.ts";

/** How a push ended. */
export interface PushResult {
  /** What stopped it, if it did not run out of work. */
  readonly stop: Stop | null;
  /** When the first entry that was put off is due. */
  readonly nextAt: string | null;
}

/** Requests under way at once; never two of one record. */
const parallel = 4;
/** Requests for one record within one push: a record that others keep changing waits for the next. */
const mostSteps = 8;
/** Trouble in a row after which the others are spared; a request that got no answer in time weighs more. */
const mostTrouble = 5;
const weightOfTimeout = 3;

/** How often each record was tried in this push, and how it is going. */
interface Tally {
  readonly steps: Map<string, number>;
  trouble: number;
  stop: Stop | null;
}

/**
 * Sends what may be sent, round by round, until nothing is left that may: a round may have freed what waited for it. What
 * concerns one record does not stop the others.
 *
 * @param options `eager` ignores delays
 */
export async function push(context: SyncContext, options: { readonly eager: boolean }): Promise<PushResult> {
  const tally: Tally = { steps: new Map(), trouble: 0, stop: null };
  for (;;) {
    const now = context.clock().toISOString();
    const planned = plan(await summaries(context.store), now, options);
    const queue = planned.ready.filter((id) => (tally.steps.get(id) ?? 0) < mostSteps);
    if (queue.length === 0) return { stop: null, nextAt: planned.ready.length > 0 ? now : planned.nextAt };
    const workers = Array.from({ length: parallel }, () => work(context, queue, tally));
    const failed = (await Promise.allSettled(workers)).find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    if (tally.stop) return { stop: tally.stop, nextAt: null };
    if (tally.trouble >= mostTrouble) return { stop: null, nextAt: await putOffUntil(context) };
  }
}

/** Takes from the queue until it is empty or something stops them all. */
async function work(context: SyncContext, queue: string[], tally: Tally): Promise<void> {
  const enough = () => tally.stop !== null || tally.trouble >= mostTrouble;
  for (let id = queue.shift(); id !== undefined; id = enough() ? undefined : queue.shift()) {
    const result = await step(context, id);
    const sent = result.kind === "sent";
    tally.steps.set(id, sent ? (tally.steps.get(id) ?? 0) + 1 : mostSteps);
    if (sent) tally.trouble = 0;
    if (result.kind === "stopped") tally.stop ??= result.stop;
    if (result.kind === "failed") tally.trouble += result.weight;
  }
}

/** When the first of the entries that failed is due: the ones that were spared wait with them. */
async function putOffUntil({ store, clock }: SyncContext): Promise<string> {
  const now = clock();
  const { nextAt } = plan(await summaries(store), now.toISOString());
  return nextAt ?? new Date(now.getTime() + longestDelay).toISOString();
}

type StepResult =
  /** A verdict came, or there was nothing to send. */
  | { readonly kind: "sent" }
  /** It waits for something that only time brings. */
  | { readonly kind: "waits" }
  /** The server failed on this request, or took too long for it. */
  | { readonly kind: "failed"; readonly weight: number }
  | { readonly kind: "stopped"; readonly stop: Stop };

/** One request of one record: freeze it durably, send it, settle what came of it. */
async function step(context: SyncContext, id: string): Promise<StepResult> {
  const name = nameIn(id);
  const unseen = await seePhoto(context, name);
  const blind = unseen && stopOf(unseen);
  if (unseen) return blind ? { kind: "stopped", stop: blind } : { kind: "failed", weight: 1 };
  const entry = await frozen(context, name);
  if (!entry) return { kind: "sent" };
  const reply = await context.api.write(entry, entry.request);
  const { api, clock, random, store } = context;
  const lastSuccessAt = context.lastSuccessAt();
  const verdict = await verdictOf(entry, reply, { api, now: clock(), random, lastSuccessAt });
  const at = clock().toISOString();
  await settleWork(store, { ...name, at }, (current, local) =>
    current.request?.key === entry.request.key ? settle(current, local, verdict, at) : null,
  );
  if (reply.kind === "broken") return { kind: "failed", weight: 1 };
  if (reply.kind === "no-answer" && reply.why !== "network") {
    return { kind: "failed", weight: reply.why === "timeout" ? weightOfTimeout : 1 };
  }
  const stop = stopOf(reply);
  if (stop) return { kind: "stopped", stop };
  return { kind: verdict.kind === "unknown" ? "waits" : "sent" };
}

/** The entry with its request, frozen and durable before anything leaves; `null` when there is nothing to send. */
async function frozen(
  { store, newId, clock }: SyncContext,
  name: { readonly type: ResourceType; readonly key: string },
): Promise<Answered | null> {
  const at = clock().toISOString();
  await settleWork(store, { ...name, at }, (entry, local) => {
    if (entry.request || entry.parked) return null;
    const work = freeze(entry, local, { key: newId(), at });
    if (work.kind === "request") return { entry: { ...entry, request: work.request }, local, ended: [] };
    return nothingLeft(entry);
  });
  const [work] = await loadWork(store, [name]);
  const entry = work && localIn(work) ? entryIn(work) : null;
  return entry?.request ? { ...entry, request: entry.request } : null;
}

/** The edits cancelled each other out, or the server has it all by now. */
function nothingLeft(entry: OutboxEntry): Settled {
  return { entry: null, local: entry.base, ended: endAll(entry.edits, "merged") };
}

function nameIn(id: string): { readonly type: ResourceType; readonly key: string } {
  const slash = id.indexOf("/");
  return { type: id.slice(0, slash) as ResourceType, key: id.slice(slash + 1) };
}
