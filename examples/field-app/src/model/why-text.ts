import type { Explanation, ParkedRecord, SyncStatus } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import type { NameOf } from "./conflict-text.ts";
import { instantText } from "./person-text.ts";
import { plainWords } from "./plain-words.ts";
import { problemText } from "./sending.ts";

/** Whether a record waits because two people wrote something else in the same place. */
export function isClash({ reason, conflicts }: ParkedRecord): boolean {
  return reason === "conflict" && conflicts.length > 0;
}

/** Why a record waits for a person. What is archived is there, and not gone. */
export function whyParked({
  reason,
  isArchived,
}: Pick<ParkedRecord, "reason" | "isArchived">): ParkedRecord["reason"] | "archived" {
  return isArchived ? "archived" : reason;
}

/** What the server has of a record that is not sent. */
export function serverText({ baseVersion, parked }: Pick<Explanation, "baseVersion" | "parked">): string {
  if (parked?.reason === "gone") return parked.isArchived ? texts.why.archived : texts.why.gone;
  if (parked?.reason === "conflict") return isClash(parked) ? texts.why.clash : parked.detail;
  return baseVersion === null ? texts.why.notThere : texts.why.isThere;
}

/** When something is tried that nothing else holds up, and why not before: the last attempt may have reached nobody. */
export function nextText(
  nextAttemptAt: string | null,
  status: Pick<SyncStatus, "phase" | "nextAttemptAt" | "needsSignIn" | "lastError">,
): { readonly when: string; readonly problem: string | null } {
  const { phase } = status;
  const told = texts.sync.withoutTime[phase];
  if (told) return { when: told, problem: null };
  const isWaiting = phase === "waiting";
  const at = nextAttemptAt ?? (isWaiting ? status.nextAttemptAt : null);
  return { when: at ? instantText(at) : texts.why.soon, problem: isWaiting ? problemText(status) : null };
}

/**
 * What came of one attempt. That a record was at another version is said in words for people: the server's sentence
 * is about headers, for programmers. Every other sentence tells what is wrong with what was entered.
 */
export function answerText(
  { at, status, message }: Explanation["answers"][number],
  { baseVersion, parked }: Pick<Explanation, "baseVersion" | "parked">,
  nameOf?: NameOf,
): string {
  // A record that the server has is refused with 409 as a duplicate, too, and is parked as one then.
  const wasChanged = status === 409 && baseVersion !== null && parked?.reason !== "duplicate";
  const said = message === null ? null : plainWords(message, nameOf);
  return texts.why.answer(instantText(at), status, wasChanged ? texts.why.wasChanged : said);
}
