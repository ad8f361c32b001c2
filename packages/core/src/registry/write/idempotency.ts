import type { Json, JsonObject } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import type { DocumentKey, Store } from "../../store/port.ts";
import type { Caller, Idempotency, Written } from "../types.ts";
import type { CommitPart } from "./followers.ts";

interface RememberedAnswer {
  readonly fingerprint: string;
  readonly at: string;
  readonly answers: readonly Written<JsonObject>[];
  /** The records that the answers are about, in their order. */
  readonly of?: readonly DocumentKey[];
}

/** An earlier answer, whole: what its caller may see of it now is decided anew. */
export interface EarlierAnswer {
  readonly answers: readonly Written<JsonObject>[];
  readonly of: readonly DocumentKey[];
}

/**
 * Finds the answer to an earlier request with the same key (contract section 5). It is looked for before any
 * precondition: a request that succeeded and whose answer got lost is stale by now, and still a success.
 */
export async function earlierAnswer(
  store: Store,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<Outcome<readonly Written<JsonObject>[]> | undefined> {
  const earlier = await earlierAnswerOf(store, caller, idempotency);
  return earlier?.ok ? success(earlier.value.answers) : earlier;
}

/** As {@link earlierAnswer}, with the records it is about. */
export async function earlierAnswerOf(
  store: Store,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<Outcome<EarlierAnswer> | undefined> {
  if (!idempotency) return undefined;
  const [document] = await store.get([answerKey(caller, idempotency)]);
  if (!document) return undefined;
  const remembered = document.body as unknown as RememberedAnswer;
  if (remembered.fingerprint === idempotency.fingerprint) {
    const { answers, of = [] } = remembered;
    return success({ answers: answers.map((answer) => ({ ...answer, replayed: true })), of });
  }
  return failure({
    kind: "idempotency-mismatch",
    detail:
      "This Idempotency-Key was used for a request with other content. Use a new key for a new request.",
  });
}

/** Keeps the answer with the writes that it answers. */
export function rememberAnswer(
  caller: Caller,
  {
    idempotency,
    answers,
    at,
    of,
  }: {
    readonly idempotency: Idempotency | undefined;
    readonly answers: readonly Written<JsonObject>[];
    readonly at: string;
    readonly of?: readonly DocumentKey[];
  },
): CommitPart {
  if (!idempotency) return {};
  const key = answerKey(caller, idempotency);
  const body = { fingerprint: idempotency.fingerprint, at, answers, ...(of && { of }) } as unknown as Json;
  return { expect: [{ kind: "absent", ...key }], put: [{ ...key, version: 1, body, entries: { at: [at] } }] };
}

function answerKey(caller: Caller, idempotency: Idempotency): DocumentKey {
  // A client's id is never empty, so a shared key is nobody's own.
  const owner = idempotency.scope === "registry" ? "" : caller.clientId;
  return { collection: "idempotency", key: `${owner} ${idempotency.key}` };
}
