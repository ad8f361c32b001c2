import type { Json, JsonObject } from "../../json.ts";
import { failure, type Outcome, success } from "../../problem.ts";
import type { Document, DocumentKey, StoredDocument } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import type { Caller, Idempotency, Written } from "../types.ts";
import type { CommitPart } from "./followers.ts";

/** A kept answer at rest. */
export interface RememberedAnswer {
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
  settings: Pick<Settings, "store" | "now">,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<Outcome<readonly Written<JsonObject>[]> | undefined> {
  const earlier = await earlierAnswerOf(settings, caller, idempotency);
  return earlier?.ok ? success(earlier.value.answers) : earlier;
}

/** As {@link earlierAnswer}, with the records it is about. */
export async function earlierAnswerOf(
  settings: Pick<Settings, "store" | "now">,
  caller: Caller,
  idempotency: Idempotency | undefined,
): Promise<Outcome<EarlierAnswer> | undefined> {
  if (!idempotency) return undefined;
  const [document] = await settings.store.get([answerKey(caller, idempotency)]);
  if (!document || (await forgetExpired(settings, document))) return undefined;
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

/** How long an answer is kept: tablets may be offline for months. */
const keptDays = 180;

/** Where kept answers are. */
export const answerCollection = "idempotency";

const collection = answerCollection;

/** Builds the document of a kept answer: found by its instant, when it is to be forgotten. */
export function answerDocument(key: string, remembered: RememberedAnswer): Document {
  const entries = { at: [remembered.at] };
  return { collection, key, version: 1, body: remembered as unknown as Json, entries };
}

function oldest({ now }: Pick<Settings, "now">): string {
  return new Date(Date.parse(now()) - keptDays * 86_400_000).toISOString();
}

async function forgetExpired(
  settings: Pick<Settings, "store" | "now">,
  { key, version, body }: StoredDocument,
): Promise<boolean> {
  const { at } = body as unknown as RememberedAnswer;
  if (at >= oldest(settings)) return false;
  await settings.store.commit({
    expect: [{ kind: "version", collection, key, version }],
    remove: [{ collection, key }],
  });
  return true;
}

/** Removes answers that are kept no longer, as many as one commit takes. Resolves to how many there were. */
export async function forgetOldAnswers(settings: Pick<Settings, "store" | "now">): Promise<number> {
  const { documents } = await settings.store.query({
    collection,
    where: [{ index: "at", below: oldest(settings) }],
    limit: 500,
  });
  const remove = documents.map(({ key }) => ({ collection, key }));
  if (remove.length > 0) await settings.store.commit({ remove });
  return remove.length;
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
  const remembered = { fingerprint: idempotency.fingerprint, at, answers, ...(of && { of }) };
  return { expect: [{ kind: "absent", ...key }], put: [answerDocument(key.key, remembered)] };
}

function answerKey(caller: Caller, idempotency: Idempotency): DocumentKey {
  // A client's id is never empty, so a shared key is nobody's own.
  const owner = idempotency.scope === "registry" ? "" : caller.clientId;
  return { collection, key: `${owner} ${idempotency.key}` };
}
