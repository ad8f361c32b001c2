import type { Known } from "../device/commit.ts";
import { settleTogether } from "../device/together.ts";
import { bundlePart, cut, halves, type Sized } from "../model/bundle.ts";
import { takesPhoto } from "../model/content.ts";
import { entryId, nameIn, type OutboxEntry } from "../model/entry.ts";
import { shownBy } from "../model/hidden.ts";
import type { SyncContext } from "./context.ts";
import { type Answered, isNumbered } from "./duplicate.ts";
import { isForgotten } from "./forgotten.ts";
import { freezeIn, freezing, frozen, requested } from "./frozen.ts";
import type { StepResult } from "./result.ts";
import { settleParts } from "./settle-parts.ts";
import { type JustFrozen, step } from "./step.ts";

/** How a push goes on. */
export interface Progress {
  /** Whether anything is to be sent now. */
  goesOn(): boolean;
  /** Tells what came of requests that left as one, or of one of them. */
  note(ids: readonly string[], result: StepResult): void;
}

/** A request with what cutting looks at. */
type Item = Sized & { readonly id: string; readonly entry: Answered };

/** One request for each of several records, together as far as that goes: freezes them durably, sends them, settles what came of each. */
export async function stepTogether(
  context: SyncContext,
  ids: readonly string[],
  progress: Progress,
): Promise<void> {
  const left = [...ids];
  const known = ids.length > 1 ? await sendTogether(context, left, progress) : undefined;
  for (const id of left) if (progress.goesOn()) progress.note([id], await step(context, id, known?.get(id)));
}

/**
 * @param left what remains of it is to be sent alone
 * @returns what is known of their requests
 */
async function sendTogether(
  context: SyncContext,
  left: string[],
  progress: Progress,
): Promise<ReadonlyMap<string, JustFrozen>> {
  const items = await frozenTogether(context, left);
  const taken = new Set(items.map(({ id }) => id));
  const known = new Map(items.map(({ id, entry }) => [id, justFrozen(entry)]));
  const groups: (readonly Item[])[] = [items];
  left.splice(0, left.length, ...left.filter((id) => !taken.has(id)));
  for (let group = groups.shift(); group && progress.goesOn(); group = groups.shift()) {
    const parts = cut(group, await context.api.together.limits());
    if (parts.length > 1) groups.unshift(...parts.map((places) => pick(group ?? [], places)));
    else if (group.length < 2) left.push(...group.map(({ id }) => id));
    else {
      for (const { id, entry } of group) known.set(id, { ...justFrozen(entry), unsent: false });
      if (!(await send(context, group, progress))) groups.unshift(...halves(group));
    }
  }
  return known;
}

function justFrozen({ repeated = false, isFirst = false }: Answered): JustFrozen {
  return { unsent: !repeated, isFirst };
}

function pick(items: readonly Item[], places: readonly number[]): readonly Item[] {
  return places.flatMap((place) => items[place] ?? []);
}

/** @returns whether anybody looked at what was sent */
async function send(context: SyncContext, group: readonly Item[], progress: Progress): Promise<boolean> {
  const entries = group.map(({ entry }) => entry);
  const answer = await context.api.together.write(entries);
  if (answer.kind === "refused") return false;
  const fared = await settleParts(
    context,
    entries.flatMap((entry, place) => {
      const reply = answer.kind === "each" ? answer.replies[place] : answer.reply;
      return reply ? [{ entry, reply }] : [];
    }),
  );
  const [first] = fared;
  if (answer.kind === "each") for (const { entry, result } of fared) progress.note([idOf(entry)], result);
  else if (first)
    progress.note(
      fared.map(({ entry }) => idOf(entry)),
      first.result,
    );
  return true;
}

/** Records with their requests, frozen and durable in one step before anything leaves; without those that have nothing to send. */
async function frozenTogether(context: SyncContext, ids: readonly string[]): Promise<readonly Item[]> {
  const { store } = context;
  const options = await freezing(context);
  const isKeyed = await context.api.isKeyed(false);
  const looking = new Set<string>();
  const before = new Map<string, OutboxEntry>();
  const names = ids.map(nameIn);
  const frozenAll = await settleTogether(store, names, options.at, (known) => {
    const { entry } = known;
    if (looksFirst(known, { isKeyed, photos: options.photos, now: context.serverTime() }))
      looking.add(idOf(entry));
    before.set(idOf(entry), entry);
    return looking.has(idOf(entry)) ? null : freezeIn(known, options);
  });
  if (!frozenAll) {
    const each: (Answered | null)[] = [];
    for (const name of names)
      if (!looking.has(entryId(name.type, name.key))) each.push(await frozen(context, name));
    return each.flatMap((entry) => (entry ? itemOf(entry) : []));
  }
  // One that was frozen before, as for a file, looks as well.
  const present = frozenAll.flatMap((now) => (now && !looking.has(idOf(now.entry)) ? now : []));
  return present.flatMap((now) => requested(now, before.get(idOf(now.entry)) ?? null) ?? []).map(itemOf);
}

/** Whether the server's copy is to be seen before the request leaves, or more said with it, which one alone does. */
function looksFirst(
  { entry, ...known }: Known,
  { isKeyed, photos, now }: { readonly isKeyed: boolean; readonly photos: boolean; readonly now: Date },
): boolean {
  const { request } = entry;
  // A photo of somebody else is to be seen first.
  if (entry.base && !request && takesPhoto(entry) && photos) return true;
  // A bundle has no place for what was shown of the record.
  if (request ? request.shown : entry.type === "ProgramMembership" && shownBy(entry.base)) return true;
  // And whether it was performed, where its key may be forgotten.
  if (request && isForgotten(request, now)) return true;
  // So is whom the name means, where nothing but that says it.
  const recordKey = request ? request.recordKey : known.recordKey;
  return isNumbered(entry) && (recordKey === undefined || !isKeyed);
}

function itemOf(entry: Answered): Item {
  return { id: idOf(entry), entry, size: bundlePart(entry.request).length, attempts: entry.attempts };
}

function idOf({ type, key }: Pick<Answered, "type" | "key">): string {
  return entryId(type, key);
}
