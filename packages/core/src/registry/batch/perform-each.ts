import type { JsonObject } from "../../json.ts";
import { failure, type Outcome, type Problem, success } from "../../problem.ts";
import type { Settings } from "../settings.ts";
import { isBound } from "../sight.ts";
import type { BatchOptions, Caller, Fingerprint, Idempotency, WriteOptions, Written } from "../types.ts";
import { earlierAnswer, rememberAnswer } from "../write/idempotency.ts";
import { problemAnswer, putOff, readAnswer, verbsOf, writtenAnswer } from "./answers.ts";
import type { BatchContext, KeyedRequest, Plan } from "./context.ts";
import { isRead, mayAsk, type WriteRequest } from "./entry-request.ts";
import { countAtOnce } from "./side-by-side.ts";
import type { BatchAnswer, BatchResponse } from "./types.ts";

/** Most entries performed at once: enough for their commits to share one wait for the disk, few enough not to hold up other callers. */
const mostAtOnce = 16;
/** The first ones, before it is known how large the records are: with photos each may have 5 MiB. */
const firstAtOnce = 4;
/** Records larger than this are written one after the other. */
const largeRecord = 100_000;

/**
 * Performs a bundle of type `batch`: each entry by itself, as if one after the other, so that later ones see earlier ones. Under an
 * idempotency key each write has a key of its own that follows from it: sent again, after an answer that got lost or a crash
 * half-way, the bundle does what was left to do and answers for the rest as it did. An entry that has a key itself is repeated by
 * that, in whatever bundle it comes again, or alone.
 */
export async function performEach(context: BatchContext, plan: Plan): Promise<Outcome<BatchAnswer>> {
  const { order } = plan;
  const { settings } = context;
  const refused = await refusedKey(context, plan);
  if (refused) return failure(refused);
  const responses: BatchResponse[] = [];
  const references = new Map<number, string>();
  const replays: boolean[] = [];
  let atOnce = firstAtOnce;
  for (let done = 0; done < order.length; ) {
    const before = settings.budget.bytesLeft();
    const places = await nextPlaces(context, plan, order.slice(done, done + atOnce));
    const performed = await performAtOnce(context, { plan, references, places });
    for (const [i, { response, replayed }] of performed.entries()) {
      const place = places[i] ?? 0;
      responses[place] = response;
      if (response.reference !== undefined) references.set(place, response.reference);
      if (replayed !== undefined) replays.push(replayed);
    }
    done += places.length;
    const isLarge = before - settings.budget.bytesLeft() > largeRecord * places.length;
    atOnce = isLarge ? 1 : Math.min(2 * atOnce, mostAtOnce);
  }
  const replayed = replays.length > 0 && replays.every(Boolean);
  return success({ type: "batch", responses, replayed });
}

/**
 * As many of these entries, from the first on, as may be performed at once. For a caller who may not see all, one: how long a batch
 * takes would tell which identifiers are of one hidden person.
 */
async function nextPlaces(
  { settings, caller }: BatchContext,
  { requests, keyed, refers }: Plan,
  places: readonly number[],
): Promise<readonly number[]> {
  if (isBound(caller)) return places.slice(0, 1);
  const asked = places.map((place) => {
    const request = requests[place];
    return { request: request?.ok && !refers(place) ? request.value : undefined, key: keyed.get(place)?.key };
  });
  return places.slice(0, await countAtOnce(settings.store, asked));
}

/** Entries to be performed at once, with what those before them wrote. */
interface AtOnce {
  readonly plan: Plan;
  readonly references: ReadonlyMap<number, string>;
  readonly places: readonly number[];
}

/** Begins all at once, in their order, and ends when the last of them has ended, also where one breaks off. */
async function performAtOnce(
  context: BatchContext,
  { plan: { request, keyed, skews }, references, places }: AtOnce,
): Promise<readonly Performed[]> {
  const asked = await Promise.all(
    places.map(async (place) => {
      const own = keyed.get(place);
      const idempotency = await idempotencyOf(context.options, place, own);
      const said = { idempotency, isKeyed: own !== undefined, clockSkew: skews.get(place) };
      return { entry: request(place, references), said };
    }),
  );
  const ended = await Promise.allSettled(asked.map(({ entry, said }) => perform(context, entry, said)));
  return ended.map((one) => {
    if (one.status === "rejected") throw one.reason;
    return one.value;
  });
}

interface Performed {
  readonly response: BatchResponse;
  /** Of a write that succeeded. */
  readonly replayed?: boolean;
}

/** What an entry says of itself. */
interface EntrySaid {
  readonly idempotency: Idempotency | undefined;
  readonly clockSkew: number | undefined;
  /** Whether it is the entry's own. */
  readonly isKeyed: boolean;
}

async function perform(
  context: BatchContext,
  request: Plan["requests"][number] | undefined,
  { isKeyed, ...said }: EntrySaid,
): Promise<Performed> {
  if (!request?.ok) return { response: problemAnswer(request?.problem ?? notUnderstood) };
  const allowed = mayAsk(context.settings, context.caller, request.value);
  if (!allowed.ok) return { response: problemAnswer(allowed.problem) };
  const put = putOff(context.settings, request.value);
  if (put) return { response: problemAnswer(put) };
  if (isRead(request.value)) {
    return { response: await readAnswer(context, request.value) };
  }
  const written = await write(context, request.value, said);
  if (!written.ok) return { response: problemAnswer(written.problem) };
  const { replayed, key } = written.value;
  const response = writtenAnswer(context, request.value, written.value);
  return { response: isKeyed && key !== undefined ? { ...response, key } : response, replayed };
}

const notUnderstood: Problem = { kind: "internal", detail: "The entry was not understood." };

async function write(
  { view, options }: BatchContext,
  request: WriteRequest,
  { idempotency, clockSkew }: Omit<EntrySaid, "isKeyed">,
): Promise<Outcome<Written<JsonObject>>> {
  const { idempotency: _bundle, search: _, fingerprint: __, ...shared } = options;
  const { body } = request;
  const given: WriteOptions = {
    ...shared,
    ...(idempotency && { idempotency }),
    ...(clockSkew !== undefined && { clockSkew }),
    ...("ifMatch" in request && request.ifMatch !== undefined && { ifMatch: request.ifMatch }),
  };
  const verbs = verbsOf(view, request.type);
  const { groups } = view;
  switch (request.does) {
    case "create":
      return verbs.create(body, given);
    case "replace":
      return verbs.replace(request.address, body, given);
    case "patch":
      return verbs.patch(request.address, body, given);
    case "merge":
      return plain(await groups.merge(body, given));
    default:
      return plain(await groups[request.does](request.address ?? "", body, given));
  }
}

function plain(outcome: Outcome<Written<unknown>>): Outcome<Written<JsonObject>> {
  return outcome as Outcome<Written<JsonObject>>;
}

/**
 * The key that an entry has itself, the same in any bundle and alone; or one that follows from the bundle's: no key that a
 * client sends holds a control character, so none of them is that one.
 */
async function idempotencyOf(
  { idempotency, fingerprint = plainly }: BatchOptions,
  place: number,
  keyed: KeyedRequest | undefined,
): Promise<Idempotency | undefined> {
  if (!keyed) return idempotency && { ...idempotency, key: `${idempotency.key}\u001f${place}` };
  const { key, ...request } = keyed;
  return { key, fingerprint: await fingerprint(request) };
}

async function plainly({ method, target, body }: Parameters<Fingerprint>[0]): Promise<string> {
  return `${method}\n${target}\n${body}`;
}

async function refusedKey(
  { settings, caller, options }: BatchContext,
  { requests }: Plan,
): Promise<Problem | undefined> {
  const writes = requests.some((asked) => asked.ok && !isRead(asked.value));
  return options.idempotency && writes ? takeKey(settings, caller, options.idempotency) : undefined;
}

/** Marks the bundle's key as used before anything is done, so that it can't be used for another bundle. */
async function takeKey(
  settings: Settings,
  caller: Caller,
  idempotency: Idempotency,
): Promise<Problem | undefined> {
  for (let attempt = 0; attempt < 3; attempt++) {
    const earlier = await earlierAnswer(settings, caller, idempotency);
    if (earlier) return earlier.ok ? undefined : earlier.problem;
    const part = rememberAnswer(caller, { idempotency, answers: [], at: settings.now() });
    const taken = await settings.store.commit(part);
    if (taken.ok) return undefined;
  }
  return { kind: "unavailable", detail: "The same request is being performed just now. Try again." };
}
