import { summaries } from "../device/summaries.ts";
import { longestDelay } from "../model/backoff.ts";
import { type Plan, plan } from "../model/plan.ts";
import { type Company, createCompany } from "./company.ts";
import type { SyncContext } from "./context.ts";
import type { StepResult } from "./result.ts";
import type { Stop } from "./stop.ts";
import { type Progress, stepTogether } from "./together.ts";

/** How a push ended. */
export interface PushResult {
  /** What stopped it, if it did not run out of work. */
  readonly stop: Stop | null;
  /** When the first entry that was put off is due. */
  readonly nextAt: string | null;
  /** Whether anything had a verdict. */
  readonly moved: boolean;
}

/** Requests under way at once, alone and together; never two of one record. */
const parallel = { alone: 4, together: 2 };
/** Requests for one record within one push: a record that others keep changing waits for the next. */
const mostSteps = 8;
/** Trouble in a row after which the others are spared; a request that was lost, or got no answer in time, weighs more. */
const mostTrouble = 5;
const weightOfLoss = 2;

/** How often each record was tried in this push, and how it is going. */
interface Tally {
  readonly steps: Map<string, number>;
  trouble: number;
  stop: Stop | null;
  /** Requests that had a verdict. */
  sent: number;
  /** What a request that was lost met. One may be lost where others get through. */
  loss: Stop | null;
}

/**
 * Sends what may be sent, round by round, until nothing is left that may: a round may have freed what waited for it. What
 * concerns one record does not stop the others.
 *
 * @param options `eager` ignores delays; `once` leaves what a round has freed, and what came meanwhile, to the next push; `fresh` leaves out what failed before;
 *   `unread` what refers anew to somebody, as it is not read yet who has their number by now; `tried` takes in what is tried, by entry, and
 *   `eager` does not try that again
 */
export async function push(
  context: SyncContext,
  options: {
    readonly eager: boolean;
    readonly once?: boolean;
    readonly fresh?: boolean;
    readonly unread?: boolean;
    readonly tried?: Set<string>;
  },
): Promise<PushResult> {
  const tally: Tally = {
    steps: new Map(),
    trouble: 0,
    stop: null,
    sent: 0,
    loss: null,
  };
  const company = createCompany(context);
  for (let round = 0; ; round++) {
    const now = context.clock().toISOString();
    const planned = plan(await summaries(context.store), now, { ...options, photos: context.photos() });
    const queue = planned.ready.filter((id) => (tally.steps.get(id) ?? 0) < mostSteps);
    if (queue.length === 0 || (options.once && round > 0) || !context.goesOn())
      return idleEnd(tally, planned, now);
    if (planned.introduces) await context.api.refersByKey(true);
    const most = await company.most(queue);
    const length = most > 1 ? parallel.together : parallel.alone;
    const job = { queue, most, company, tried: options.tried };
    const workers = Array.from({ length }, () => work(context, job, tally));
    const failed = (await Promise.allSettled(workers)).find((result) => result.status === "rejected");
    if (failed) throw failed.reason;
    const end = await troubledEnd(context, tally);
    if (end) return end;
  }
}

/** Nothing may be sent any more, or not in this push. Where nothing got through, nothing else would. */
function idleEnd({ sent, loss }: Tally, { ready, nextAt }: Plan, now: string): PushResult {
  const moved = sent > 0;
  if (loss && !moved) return { stop: loss, nextAt: null, moved };
  return { stop: null, nextAt: ready.length > 0 ? now : nextAt, moved };
}

async function troubledEnd(context: SyncContext, tally: Tally): Promise<PushResult | null> {
  const troubled = tally.trouble >= mostTrouble;
  const stop = tally.stop ?? (troubled ? tally.loss : null);
  if (!stop && !troubled) return null;
  return { stop, nextAt: stop ? null : await putOffUntil(context), moved: tally.sent > 0 };
}

interface Job {
  readonly queue: string[];
  /** How many are taken at a time. */
  readonly most: number;
  readonly company: Company;
  readonly tried: Set<string> | undefined;
}

/** Takes from the queue until it is empty or something stops them all. */
async function work(context: SyncContext, job: Job, tally: Tally): Promise<void> {
  const { queue, most, company, tried } = job;
  const progress: Progress = {
    goesOn: () => tally.stop === null && tally.trouble < mostTrouble && context.goesOn(),
    note: (ids, result) => {
      for (const id of ids) {
        tried?.add(id);
        tally.steps.set(id, result.kind === "sent" ? (tally.steps.get(id) ?? 0) + 1 : mostSteps);
      }
      note(tally, result);
      context.changed();
    },
  };
  do await stepTogether(context, queue.splice(0, most), progress);
  while (queue.length > 0 && progress.goesOn() && !(most === 1 && (await company.mayJoin(queue))));
}

function note(tally: Tally, result: StepResult): void {
  switch (result.kind) {
    case "sent":
      tally.sent += 1;
      tally.trouble = 0;
      tally.loss = null;
      return;
    case "failed":
      tally.trouble += result.weight;
      return;
    case "stopped":
      if (result.stop.why !== "network") tally.stop ??= result.stop;
      else {
        tally.trouble += weightOfLoss;
        tally.loss = result.stop;
      }
  }
}

/** When the first of the entries that failed is due: the ones that were spared wait with them. */
async function putOffUntil({ store, clock, photos }: SyncContext): Promise<string> {
  const now = clock();
  const { nextAt } = plan(await summaries(store), now.toISOString(), { photos: photos() });
  return nextAt ?? new Date(now.getTime() + longestDelay).toISOString();
}
