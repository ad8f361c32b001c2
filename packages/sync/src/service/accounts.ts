import { failure, type Outcome, type Problem, type StoredDocument, success } from "@fieldroll/core";
import { readState } from "../device/documents.ts";
import { canaryOf } from "../device/feed-state.ts";
import { forgetRecords } from "../device/forget.ts";
import { hasUnsent } from "../device/outbox.ts";
import type { SignIn } from "../types.ts";
import { type Parts, tellSession } from "./parts.ts";

/** Signs a person in. Another person's unsent edits keep the device theirs: they are sent under the name they were made in. */
export async function signIn(parts: Parts, credentials: SignIn): Promise<Outcome<void>> {
  const { store, feeds, session, newId, started } = parts;
  await started;
  const owner = await readState(store, "owner");
  const other = owner !== undefined && owner.body !== credentials.clientId;
  const isFree = async () => !other || !(await hasUnsent(store));
  // The former person's records go before the other is signed in: broken off anywhere, nobody sees what is not theirs.
  const takeOver = async () => {
    if (!(await isFree())) return false;
    if (other) await forgetRecords(store, feeds, await canaryOf(store, newId));
    return true;
  };
  if (!(await isFree())) return failure(heldBy(owner));
  const outcome = await session.signIn(credentials, takeOver);
  if (outcome.kind === "taken") return failure(heldBy(owner));
  if (outcome.kind === "refused") return failure({ kind: "authentication", detail: outcome.detail });
  if (outcome.kind === "later") return failure({ kind: "unavailable", detail: outcome.detail });
  await sessionChanged(parts);
  return success(undefined);
}

function heldBy(owner: StoredDocument | undefined): Problem {
  const name = String(owner?.body);
  const detail = `This device holds unsent edits of ${name}; sign in as ${name} and send them first.`;
  return { kind: "invalid-state", detail };
}

/** Signs out; refused while anything made here has not arrived. */
export async function signOut(parts: Parts): Promise<Outcome<void>> {
  if (await hasUnsent(parts.store)) {
    const detail =
      "There are edits that the server has not got yet. Sync, and decide on what waits for you, before signing out.";
    return failure({ kind: "invalid-state", detail });
  }
  await parts.session.signOut();
  await sessionChanged(parts);
  return success(undefined);
}

async function sessionChanged(parts: Parts): Promise<void> {
  await tellSession(parts);
  parts.channel.post({ kind: "session" });
}
