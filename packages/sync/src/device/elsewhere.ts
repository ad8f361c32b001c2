import { type DocumentKey, rawReference, type Store, type StoredDocument } from "@fieldroll/core";
import { type Accepted, changesLostIn, editsAgain, lostIn } from "../model/accepted.ts";
import { isGivenBack, namesOf } from "../model/content.ts";
import { everCalled, isBack } from "../model/hidden.ts";
import { type Anew, giveAgain } from "../model/lost.ts";
import { meaningOf } from "../model/meaning.ts";
import { doneAgain, madeUpon, takenBack } from "../model/redo.ts";
import type { Settled } from "../model/settled.ts";
import { acceptedIn } from "./accepted.ts";
import { commitParts, keptLinks } from "./commit.ts";
import { unchanged } from "./documents.ts";
import { acceptedAs } from "./naming.ts";
import {
  type CommitParts,
  entryIn,
  loadWhole,
  localIn,
  serverCopy,
  settledParts,
  type Work,
} from "./work.ts";

const rounds = 5;

/** Reading a server's data anew, and whether that met a record. */
export interface Meeting extends Anew {
  readonly isMet: (work: Work) => boolean;
}

/**
 * Gives what was accepted of a record that this device has forgotten to the one that has its name by now: another device, or
 * another person on this one, gave the record back to the server, where it got another key.
 *
 * @param kept the document of what was accepted
 * @returns whether there is such a record; another one's that has the name by now is none
 */
export async function giveElsewhere(
  store: Store,
  { type, key, record, outbox }: Work,
  kept: StoredDocument,
  meeting: Meeting,
): Promise<boolean> {
  const accepted = acceptedIn({ accepted: kept });
  if (record || outbox || accepted.length === 0) return false;
  for (let round = 0; round < rounds; round++) {
    const work = await holderOf(store, { type, key }, accepted);
    const theirs = work && serverCopy(work);
    if (!theirs) return false;
    const { meant: links = {} } = meaningOf(accepted, null);
    const named = await acceptedAs(store, { type, accepted, links }, theirs);
    const parts = await movedParts(store, work, { accepted: named, meeting });
    if (!parts) return false;
    const away = { expect: [unchanged(kept, kept)], put: [], remove: [kept] };
    if (!(await commitParts(store, [parts, away]))) return true;
  }
  return true;
}

/** The record that is called as this one was last, or was before, and is the one that all this was accepted of: a number may be others' by now. */
async function holderOf(
  store: Store,
  { type, key }: Pick<Work, "type" | "key">,
  accepted: readonly Accepted[],
): Promise<Work | undefined> {
  const who = [...accepted].reverse().find((each) => each.who)?.who ?? doneAgain(type, {}, accepted);
  const changes = changesLostIn(accepted, "");
  const lost = takenBack(type, who, changes);
  const entry = { lost, edits: editsAgain(changes, []) };
  const last = rawReference(accepted.at(-1)?.reference ?? "");
  const holders = await store.resolve([last, ...namesOf(type, everCalled(who, entry))]);
  const isOther = (holder: DocumentKey | undefined) => holder?.collection === type && holder.key !== key;
  const works = await loadWhole(
    store,
    holders.flatMap((holder) => (holder && isOther(holder) ? [{ type, key: holder.key }] : [])),
  );
  return works.find((work) => {
    const theirs = serverCopy(work);
    if (!theirs || work.key !== holders[0]?.key) return theirs && isBack(who, entry, theirs);
    return [who, lost].some((one) => isGivenBack(one, theirs));
  });
}

async function movedParts(
  store: Store,
  work: Work,
  { accepted, meeting }: { readonly accepted: readonly Accepted[]; readonly meeting: Meeting },
): Promise<CommitParts | null> {
  const [entry, local] = [entryIn(work), localIn(work)];
  if (!local || !serverCopy(work)) return null;
  const again = meeting.isMet(work) ? givenHere(work, accepted, meeting) : null;
  // Where it is not there, or a request is under way, all this stays to be looked at with the record's next news.
  const settled = again ?? { entry, local, ended: [], kept: accepted };
  const links = await keptLinks(store, work, settled);
  const kept = [...(settled.kept ?? []), ...acceptedIn(work)];
  return settledParts(work, { ...settled, kept }, { at: meeting.at, links });
}

/** As if the record that has come back had been here, with what was accepted in it, when it was read anew. */
function givenHere(work: Work, accepted: readonly Accepted[], anew: Anew): Settled | null {
  const { type, key } = work;
  const [entry, theirs] = [entryIn(work), serverCopy(work)];
  if (!theirs) return null;
  const changes = lostIn(accepted, anew.epoch).flatMap((each) =>
    each.before ? [each] : madeUpon(type, each, theirs),
  );
  const held = entry && { ...entry, base: doneAgain(type, theirs, changes) };
  const local = entry && doneAgain(type, localIn(work) ?? theirs, changes);
  return giveAgain({ type, key, entry: held, local, accepted }, { record: theirs }, anew, changes);
}
