import { type Expectation, failure, type Outcome, success } from "@fieldroll/core";
import { hasAccepted } from "../device/accepted.ts";
import { readState, stateDocument, stateUnchanged, type Versioned } from "../device/documents.ts";
import { canaryOf, epochHere, isUnread, startOver } from "../device/feed-state.ts";
import { forgetRecords, refusePages } from "../device/forget.ts";
import { countUnsent } from "../device/outbox.ts";
import { accountOf, hasSealed, sealWork } from "../device/seal.ts";
import { sealAccepted, unsealAccepted } from "../device/seal-accepted.ts";
import { unsealWork } from "../device/unseal.ts";
import { networkIn } from "../engine/stop.ts";
import type { TokenOutcome } from "../transport/session.ts";
import type { SignedIn, SignedOut, SignIn, SignOutOptions } from "../types.ts";
import { misstatedSignIn } from "./misstated.ts";
import { type Parts, tellSession } from "./parts.ts";
import { overtaken, wrongCall } from "./problems.ts";

/**
 * Signs a person in. What somebody else made here and did not send is sealed for them first, and what this person left sealed
 * comes back. The order keeps this safe wherever it is broken off: nobody is signed in before the records are theirs, and
 * nobody's edits lie in another's outbox.
 */
export async function signIn(parts: Parts, credentials: SignIn): Promise<Outcome<SignedIn>> {
  const { session, started, landed } = parts;
  const wrong = misstatedSignIn(credentials);
  if (wrong) return failure(wrong);
  await started;
  let told: SignedIn = { restored: 0, sealed: 0 };
  const outcome = await session.signIn(credentials, async () => {
    const handed = await handOver(parts, credentials.clientId);
    if (!handed) return "taken";
    told = { restored: told.restored + handed.restored, sealed: told.sealed + handed.sealed };
    return handed;
  });
  if (outcome.kind === "taken") return failure(overtaken);
  if (outcome.kind === "refused") return failure({ kind: "authentication", detail: outcome.detail });
  if (outcome.kind === "later") return notNow(parts, outcome);
  if (told.restored > 0) landed();
  await sessionChanged(parts);
  return success(told);
}

/** The status shows what is in the way before the caller learns of it. */
async function notNow(
  { engine, news }: Parts,
  { detail, by }: TokenOutcome & { readonly kind: "later" },
): Promise<Outcome<SignedIn>> {
  const { network = null } = by ? networkIn(by) : {};
  engine.tell({ kind: "met", network });
  await news.tellNow();
  const errors = [{ field: "", code: "captive_portal", message: detail }];
  return failure({ kind: "unavailable", detail, ...(network === "captive-portal" && { errors }) });
}

interface Handed extends SignedIn {
  /** The session's document, as the new one replaces it. */
  readonly replaces: Versioned | undefined;
}

/** Makes the device a person's, while nobody is signed in. `null` when somebody else did so meanwhile. */
async function handOver(parts: Parts, clientId: string): Promise<Handed | null> {
  const { store, feeds, session, newId, server, clock } = parts;
  const [owner, present] = await Promise.all([readState(store, "owner"), readState(store, "session")]);
  const account = accountOf(server, clientId);
  const other = owner !== undefined && owner.body !== clientId;
  const hasOwn = (await hasSealed(store, account)) || (await hasAccepted(store, account));
  if (!other && !hasOwn) return { replaces: present, restored: 0, sealed: 0 };
  const left = await session.leave();
  const fence = stateUnchanged("session", left);
  let sealed: number | null = 0;
  const canary = await canaryOf(store, newId);
  if (other) {
    sealed = await sealAll(parts, accountOf(server, String(owner.body)), fence);
    if (sealed === null || !(await forgetRecords(store, feeds, { canary, fence }))) return null;
    const owns = stateDocument("owner", owner, clientId);
    if (!(await store.commit({ expect: [fence], put: [owns] })).ok) return null;
  }
  // What left this person's feeds meanwhile is told by none of them: it is what a pull from the start does not meet.
  const goesOn = owner?.body === clientId && !(await isUnread(store, feeds));
  if (hasOwn && !goesOn) await startOver(store, feeds, canary, true);
  const isBack = await unsealAccepted(store, account, fence);
  const at = clock().toISOString();
  const how = { fence, epoch: await epochHere(store, feeds), at, goesOn };
  const restored = isBack ? await unsealWork(store, account, how) : null;
  return restored === null ? null : { replaces: left, restored, sealed };
}

/** Puts all away that is one person's. @returns the unsent records, or `null` when the fence does not hold any more */
async function sealAll(
  { store, feeds }: Pick<Parts, "store" | "feeds">,
  account: string,
  fence: Expectation,
): Promise<number | null> {
  const sealed = await sealWork(store, account, fence, await epochHere(store, feeds));
  return sealed !== null && (await sealAccepted(store, account, fence)) ? sealed : null;
}

/** Signs out; with unsent edits only when they are to be sealed. */
export async function signOut(parts: Parts, options?: SignOutOptions): Promise<Outcome<SignedOut>> {
  const { store, session, feeds, newId, server, landed } = parts;
  const { unsent: manner = "refuse" }: SignOutOptions = Object(options);
  const seals = manner === "seal";
  const wrong = wrongCall(
    "The option",
    { unsent: seals || manner === "refuse" },
    'must be "refuse" or "seal"',
  );
  if (wrong) return failure(wrong);
  const unsent = seals ? 0 : await countUnsent(store);
  if (unsent > 0) return failure({ kind: "invalid-state", detail: unsentDetail(unsent) });
  const owner = await readState(store, "owner");
  const fence = stateUnchanged("session", await session.leave());
  let sealed: number | null = 0;
  if (seals && owner) {
    await refusePages(store, feeds, { canary: await canaryOf(store, newId), fence });
    const account = accountOf(server, String(owner.body));
    sealed = await sealWork(store, account, fence, await epochHere(store, feeds));
    landed();
  }
  await sessionChanged(parts);
  return sealed === null ? failure(overtaken) : success({ sealed });
}

function unsentDetail(count: number): string {
  const records = count === 1 ? "1 record has" : `${count} records have`;
  return `${records} edits that the server has not got yet. Send them before signing out, or sign out and let this device keep them sealed until you sign in again.`;
}

async function sessionChanged(parts: Parts): Promise<void> {
  await tellSession(parts);
  parts.channel.post({ kind: "session" });
  // Who is told that this is done may look at the status next.
  await parts.news.tellNow();
}
