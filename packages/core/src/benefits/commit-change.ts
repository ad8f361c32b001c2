import type { JsonObject } from "../json.ts";
import { failure, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, Idempotency } from "../registry/types.ts";
import { joined } from "../registry/write/commit-parts.ts";
import { earlierAnswer, rememberAnswer } from "../registry/write/idempotency.ts";
import type { Commit } from "../store/port.ts";

/** What a change is to commit, and what it answers when the commit succeeds. */
export interface Decision<T> {
  readonly parts: readonly Partial<Pick<Commit, "expect" | "put" | "remove">>[];
  readonly record: T;
  /** The version that the record has from then on, where it has one. */
  readonly versionId?: string;
}

/** The answer to a change, and whether it is the stored one of an earlier request with the same key. */
export interface Changed<T> {
  readonly record: T;
  /** Empty where it has none. */
  readonly versionId: string;
  readonly replayed: boolean;
}

/** A part of a record that is kept in one place only, where it can be erased. */
export interface Unkept<T> {
  without(record: T): T;
  /** The record with that part as it is now. */
  restored(record: T): Promise<T>;
}

interface Change<T> {
  readonly idempotency?: Idempotency | undefined;
  /** What of a record the stored answer leaves out, and how a repeated answer gets it back. Default: nothing. */
  readonly unkept?: Unkept<T>;
  /** Refuses the stored answer where its caller may no longer see what it is about. */
  readonly mayHear?: () => Promise<Outcome<unknown>>;
  readonly decide: () => Promise<Outcome<Decision<T>>>;
}

/** Others may change the same things in between; after so many of them the caller is told to try again. */
const attempts = 250;

/**
 * Loads, decides and commits, and starts again when something that the decision stood on has changed meanwhile. The answer
 * is kept for the idempotency key in the same commit, and looked for before anything is decided.
 */
export async function commitChange<T extends object>(
  settings: Settings,
  caller: Caller,
  change: Change<T>,
): Promise<Outcome<Changed<T>>> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const outcome = await attemptChange(settings, caller, change);
    if (outcome) return outcome;
  }
  const detail = "Too many others change the same records just now. Try again.";
  return failure({ kind: "unavailable", detail });
}

/** Nothing, when others changed in between what the decision stood on. */
async function attemptChange<T extends object>(
  settings: Settings,
  caller: Caller,
  { idempotency, unkept, mayHear = async () => success(undefined), decide }: Change<T>,
): Promise<Outcome<Changed<T>> | undefined> {
  const earlier = await earlierAnswer(settings, caller, idempotency);
  if (earlier) {
    const allowed = await mayHear();
    return allowed.ok ? replayed<T>(earlier, unkept) : allowed;
  }
  const decision = await decide();
  if (!decision.ok) {
    // The same request may have come twice: its twin, that succeeded since the key was looked for, is what refuses it.
    return (await earlierAnswer(settings, caller, idempotency)) ? undefined : decision;
  }
  const { parts, record, versionId = "" } = decision.value;
  const kept = unkept ? unkept.without(record) : record;
  const commit = joined([...parts, answerPart(settings, caller, { idempotency, record: kept, versionId })]);
  if (!commit.put?.length && !commit.remove?.length) return success({ record, versionId, replayed: false });
  const result = await settings.store.commit(commit);
  return result.ok ? success({ record, versionId, replayed: false }) : undefined;
}

async function replayed<T>(
  earlier: NonNullable<Awaited<ReturnType<typeof earlierAnswer>>>,
  unkept: Unkept<T> | undefined,
): Promise<Outcome<Changed<T>>> {
  if (!earlier.ok) return earlier;
  const [answer] = earlier.value;
  const { record, versionId = "" } = answer ?? {};
  const kept = record as unknown as T;
  return success({ record: unkept ? await unkept.restored(kept) : kept, versionId, replayed: true });
}

function answerPart(
  settings: Settings,
  caller: Caller,
  {
    idempotency,
    record,
    versionId,
  }: {
    readonly idempotency: Idempotency | undefined;
    readonly record: object;
    readonly versionId: string;
  },
) {
  const answer = {
    record: record as JsonObject,
    reference: "",
    versionId,
    created: false,
    replayed: false,
  };
  return rememberAnswer(caller, { idempotency, answers: [answer], at: settings.now() });
}
