import {
  allScopes,
  type Caller,
  canonicalReference,
  createRecordRegistry,
  failure,
  isJsonObject,
  type Json,
  type JsonObject,
  merge,
  type Outcome,
  type Page,
  type Problem,
  parseReference,
  printRaw,
  type RecordView,
  type RegistryConfig,
  type ResourceType,
  rawReference,
  referenceTo,
  resourceShapes,
  type SearchParameters,
  type Store,
  sameJson,
  storedForm,
  success,
  type Writable,
  type WriteEntry,
  type Written,
  wireForm,
} from "@fieldroll/core";
import { findingAsShown } from "../device/as-shown.ts";
import { devicePolicies } from "../device/journal.ts";
import { namedFrom } from "../device/name-starts.ts";
import { peopleSince } from "../device/naming.ts";
import { entryOf } from "../device/outbox.ts";
import { addressOf, loadWork, outboxKey } from "../device/work.ts";
import { shownMeanwhile } from "../model/absorb.ts";
import { mayBeSame, sameContent } from "../model/content.ts";
import { entryState, type OutboxEntry } from "../model/entry.ts";
import { withoutNote } from "../model/hidden.ts";
import { recordNamed } from "../model/in-names.ts";
import { type Called, namesAs, ownName, touchedIn } from "../model/naming.ts";
import type { Judge } from "../model/resolve.ts";
import { unhidden } from "../model/unhidden.ts";
import type { EditableType, HeldRecord, RecordEdit } from "../service-types.ts";
import type { RecordState } from "../types.ts";
import type { NewBody } from "./household.ts";
import {
  anotherByNow,
  changedMeanwhile,
  conflictProblem,
  namelessNow,
  otherType,
  unknownReference,
} from "./problems.ts";

/** The records on a device: read and edited by the same registry that the server runs. */
export interface DeviceRegistry {
  read(type: ResourceType, reference: string): Promise<Outcome<HeldRecord>>;
  search(type: ResourceType, parameters: SearchParameters): Promise<Outcome<Page<HeldRecord>>>;
  /** Makes several records in one durable step. */
  create(bodies: readonly NewBody[], by: string): Promise<Outcome<readonly HeldRecord[]>>;
  edit(
    type: EditableType,
    reference: string,
    edit: RecordEdit & { readonly by: string },
  ): Promise<Outcome<HeldRecord>>;
  /** Where a reference leads on this device. */
  find(reference: string): Promise<Outcome<{ readonly type: ResourceType; readonly key: string }>>;
  readonly judge: Judge;
}

export interface DeviceRegistryOptions {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => Date;
  readonly rules: Pick<RegistryConfig, "namespace" | "vocabularies" | "extensions" | "capabilities">;
}

/** Makes the registry of a device over its store. */
export function createDeviceRegistry(options: DeviceRegistryOptions): DeviceRegistry {
  const { store } = options;
  const { newId, clock, rules } = options;
  const policies = devicePolicies({ store, newId, clock });
  const registryOver = (on: Store) => createRecordRegistry({ store: on, newId, clock, ...rules, policies });
  const registry = registryOver(findingAsShown(store));
  const reader = registry.as(callerOf("device"));
  const inTurn = oneAtATime();

  async function find(reference: string) {
    const parsed = parseReference(reference);
    if (!parsed.ok) return parsed;
    const { type } = parsed.value;
    const [holder] = await store.resolve([canonicalReference(type, parsed.value)]);
    return holder ? success({ type, key: holder.key }) : failure(unknownReference(reference));
  }

  async function update(
    type: EditableType,
    reference: string,
    edit: RecordEdit & { readonly by: string },
  ): Promise<Outcome<HeldRecord>> {
    const address = parseReference(reference);
    if (!address.ok) return address;
    if (address.value.type !== type) return failure(otherType(reference, address.value.type, type));
    const found = await find(reference);
    if (!found.ok) return found;
    if (edit.key !== undefined && edit.key !== found.value.key) return failure(anotherByNow);
    const known = await knownOf(store, found.value, storedForm(type, edit.seen));
    const change = (current: JsonObject) => wantedRecord(type, current, { ...edit, ...known });
    const entry: WriteEntry = { verb: "update", type, address: address.value, change };
    const outcome = await registry.as(callerOf(edit.by)).transaction([entry]);
    if (!outcome.ok) return failure(refused(outcome.problem, { ...found.value, reference }));
    const [written] = outcome.value;
    return written ? success(await heldOf(store, type, written)) : failure(unknownReference(reference));
  }

  return {
    find,
    judge: registry.judge,
    async read(type, reference) {
      const parsed = parseReference(reference);
      if (!parsed.ok) return parsed;
      if (parsed.value.type !== type) return failure(otherType(reference, parsed.value.type, type));
      const { system, value } = parsed.value;
      const outcome = await verbsOf(reader, type).read({ system, value });
      if (!outcome.ok) return outcome;
      const [holder] = await store.resolve([canonicalReference(type, parsed.value)]);
      const [held] = await withStates(store, type, { records: [outcome.value], keys: [holder?.key] });
      return held ? success(held) : failure(unknownReference(reference));
    },
    async search(type, { "name:start": named = [], ...parameters }) {
      const starts = [named].flat();
      const view = starts.length > 0 ? registryOver(namedFrom(store, starts)).as(callerOf("device")) : reader;
      const outcome = await verbsOf(view, type).search(parameters);
      if (!outcome.ok) return failure(withDeviceParameter(outcome.problem));
      const { keys = [], data, ...page } = outcome.value;
      return success({ ...page, data: await withStates(store, type, { records: data, keys }) });
    },
    create: (bodies, by) =>
      inTurn(async () => {
        const entries = bodies.map((body): WriteEntry => ({ verb: "create", ...body }));
        const outcome = await registry.as(callerOf(by)).transaction(entries);
        if (!outcome.ok) return outcome;
        const held = outcome.value.map((written) => heldOf(store, typeOf(written.record), written));
        return success(await Promise.all(held));
      }),
    edit: (type, reference, edit) => inTurn(() => update(type, reference, edit)),
  };
}

/** Where the server's parameters are listed, the one that only a device has is told as well. */
function withDeviceParameter(problem: Problem): Problem {
  if (problem.errors?.[0]?.code !== "unknown_parameter") return problem;
  return { ...problem, detail: `${problem.detail} A device has name:start, too.` };
}

/** Work in this service comes one after the other; other tabs are met by the store's expectations. */
function oneAtATime(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work, work);
    last = done.catch(() => undefined);
    return done;
  };
}

/** The device asks for nothing that it was not given: what this person may do is for the server to say. */
function callerOf(clientId: string): Caller {
  return { clientId, scopes: allScopes };
}

/** The verbs of a type; the records are plain JSON on this side. */
function verbsOf(view: RecordView, type: ResourceType): Writable<JsonObject> {
  const verbs = {
    Individual: view.individuals,
    Group: view.groups,
    Program: view.programs,
    ProgramMembership: view.memberships,
  }[type];
  return verbs as unknown as Writable<JsonObject>;
}

function typeOf(record: JsonObject): ResourceType {
  return record.type as ResourceType;
}

/** Why an edit was refused, to somebody who knows the record by this reference. */
function refused(
  problem: Problem,
  { type, key, reference }: { readonly type: ResourceType; readonly key: string; readonly reference: string },
): Problem {
  if (problem.kind === "not-found") return unknownReference(reference);
  const isNameless = rawReference(reference) === ownName(type, key);
  return problem.kind === "duplicate" && isNameless ? { ...problem, detail: namelessNow } : problem;
}

/** What an edit needs to know of a record that was seen before. */
interface KnownRecord {
  /** Those whom it refers to. */
  readonly people: readonly Called[];
  /** What of it is handed out. */
  readonly shown: (record: JsonObject) => JsonObject;
}

async function knownOf(
  store: Store,
  { type, key }: { readonly type: ResourceType; readonly key: string },
  seen: JsonObject,
): Promise<KnownRecord> {
  const [people, [document]] = await Promise.all([
    peopleSince(store, { type, key }, seen),
    store.get([outboxKey(type, key)]),
  ]);
  const entry = document && entryOf(document);
  return { people, shown: (record) => (entry ? shownMeanwhile(entry, record) : record) };
}

/** What the record is to become: the edit itself, or the edit merged with what changed since it was begun. */
function wantedRecord(
  type: ResourceType,
  current: JsonObject,
  { seen, key, next, whenChanged, people, shown }: RecordEdit & KnownRecord,
): Outcome<JsonObject> {
  const previousName = isJsonObject(seen) ? seen.name : undefined;
  const [before, after] = [storedForm(type, seen), storedForm(type, next, previousName)];
  const naming = { type, theirs: current, told: [before], entered: [after], links: {}, whom: {} };
  const names = namesAs({ ...naming, entered: [] }, { people, links: {} });
  const [base, ours] = [recordNamed(type, before, names), recordNamed(type, after, names)];
  if (sameContent(base, current)) return success(ours);
  const shownNow = shown(current);
  if (sameContent(base, shownNow)) return success(unhidden(current, shownNow, ours));
  if (key === undefined && !mayBeSame(type, base, current)) return failure(anotherByNow);
  if (whenChanged === "refuse" || haveChangedHands(touchedIn(naming), people))
    return failure(changedMeanwhile);
  const { merged, conflicts } = merge({ base, ours, theirs: current, shape: resourceShapes[type] });
  return conflicts.length === 0 ? success(merged) : failure(conflictProblem(conflicts));
}

/** Whether somebody who went by one of these names does not any more, while another one does: nobody can tell which of the two was seen. */
function haveChangedHands(names: ReadonlySet<string>, people: readonly Called[]): boolean {
  const areOf = (which: "now" | "former", name: string) => people.some((one) => one[which].includes(name));
  return [...names].some((name) => areOf("now", name) && areOf("former", name));
}

async function heldOf(
  store: Store,
  type: ResourceType,
  { record, reference, key }: Pick<Written<JsonObject>, "record" | "reference" | "key">,
): Promise<HeldRecord> {
  const [held] = await withStates(store, type, { records: [record], keys: [key] });
  return held ?? { record, reference, state: "pending", key: key ?? "" };
}

/** Says of each record where it stands, and by which name it is found: its own may be another record's by now. */
async function withStates(
  store: Store,
  type: ResourceType,
  {
    records,
    keys,
  }: { readonly records: readonly JsonObject[]; readonly keys: readonly (string | undefined)[] },
): Promise<readonly HeldRecord[]> {
  const references = records.map((record) => referenceTo(type, storedForm(type, record)));
  const raw = references.map(rawReference);
  const holders = raw.length > 0 ? await store.resolve(raw) : [];
  const names = records.map((_, i) => ({ type, key: keys[i] ?? holders[i]?.key ?? "none" }));
  const documents = await store.get(names.map(({ key }) => outboxKey(type, key)));
  const nameless = names.filter(({ key }, i) => holders[i]?.key !== key);
  const works = new Map((await loadWork(store, nameless)).map((work) => [work.key, work]));
  return records.map((record, i) => {
    const document = documents[i];
    const entry = document ? entryOf(document) : null;
    const state: RecordState = entry ? entryState(entry) : "synced";
    const work = works.get(names[i]?.key ?? "");
    const reference = work ? printRaw(addressOf(work, raw[i] ?? "")) : (references[i] ?? "");
    const shown = entry ? narrowed(type, entry, record) : record;
    return { record: withoutNote(shown), reference, state, key: names[i]?.key ?? "" };
  });
}

/** What of a record, as it is handed out, its unsent work lets be shown now. What is left of a member is said without what is made of it. */
function narrowed(type: ResourceType, entry: OutboxEntry, record: JsonObject): JsonObject {
  const local = storedForm(type, record);
  const shown = shownMeanwhile(entry, local);
  if (shown === local) return record;
  const kept = Object.entries(record).flatMap(([member, value]): [string, Json][] => {
    const [left, before] = [shown[member], local[member]];
    // How many are in a household is made of who is.
    if (member === "quantity" && !sameJson(shown.member, local.member)) return [];
    if (member === "meta" || before === undefined) return [[member, value]];
    if (left === undefined) return [];
    return [[member, sameJson(left, before) ? value : (wireForm(type, { [member]: left })[member] ?? left)]];
  });
  return Object.fromEntries(kept);
}
