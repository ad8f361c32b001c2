import {
  allScopes,
  type Caller,
  canonicalReference,
  createRecordRegistry,
  failure,
  isJsonObject,
  type JsonObject,
  merge,
  type Outcome,
  type Page,
  type Problem,
  parseReference,
  type RecordRegistry,
  type RegistryConfig,
  type ResourceType,
  rawReference,
  recordKey,
  resourceShapes,
  type SearchParameters,
  type Store,
  storedForm,
  success,
  type Writable,
  type WriteEntry,
} from "@fieldroll/core";
import { findingAsShown } from "../device/as-shown.ts";
import { readState } from "../device/documents.ts";
import { devicePolicies } from "../device/journal.ts";
import { namedFrom } from "../device/name-starts.ts";
import { peopleSince } from "../device/naming.ts";
import { entryOf } from "../device/outbox.ts";
import { readingOnce } from "../device/read-once.ts";
import { outboxKey } from "../device/work.ts";
import { shownMeanwhile } from "../model/absorb.ts";
import { mayBeSame, sameContent } from "../model/content.ts";
import { recordNamed } from "../model/in-names.ts";
import { type Called, namesAs, ownName, touchedIn } from "../model/naming.ts";
import type { Judge } from "../model/resolve.ts";
import { unhidden } from "../model/unhidden.ts";
import type { EditableType, HeldRecord, RecordEdit } from "../service-types.ts";
import { heldOf, withStates } from "./held.ts";
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
  create(bodies: readonly NewBody[], by: Author): Promise<Outcome<readonly HeldRecord[]>>;
  edit(type: EditableType, reference: string, edit: AuthoredEdit): Promise<Outcome<HeldRecord>>;
  /** Where a reference leads on this device. */
  find(reference: string): Promise<Outcome<FoundKey>>;
  readonly judge: Judge;
}

/** Who makes an edit, as it is read beside what is edited. */
export type Author = Promise<string>;

type AuthoredEdit = RecordEdit & { readonly by: Author };

interface FoundKey {
  readonly type: ResourceType;
  readonly key: string;
}

export interface DeviceRegistryOptions {
  readonly store: Store;
  readonly newId: () => string;
  readonly clock: () => Date;
  /** By how many seconds `clock` corrects this device's own. */
  readonly skew: () => number;
  readonly rules: Pick<RegistryConfig, "namespace" | "vocabularies" | "extensions" | "capabilities">;
}

/** A piece of work, and the rules over what it reads. */
interface Work {
  readonly on: Store;
  readonly registry: RecordRegistry;
}

/** Makes the registry of a device over its store. */
export function createDeviceRegistry(options: DeviceRegistryOptions): DeviceRegistry {
  const { store, newId, clock, skew, rules } = options;
  const registryOver = (on: Store) => {
    const policies = devicePolicies({ store: on, newId, clock, skew });
    return createRecordRegistry({ store: findingAsShown(on), newId, clock, ...rules, policies });
  };
  const begin = (): Work => {
    const on = readingOnce(store);
    return { on, registry: registryOver(on) };
  };
  const registry = registryOver(store);
  const inTurn = oneAtATime();
  return {
    find: (reference) => findIn(store, reference),
    judge: registry.judge,
    read: (type, reference) => readRecord(begin(), type, reference),
    async search(type, { "name:start": named = [], ...parameters }) {
      const starts = [named].flat();
      const on = readingOnce(store);
      const over = registryOver(starts.length > 0 ? namedFrom(on, starts) : on);
      const outcome = await verbsOf(over, type).search(parameters);
      if (!outcome.ok) return failure(withDeviceParameter(outcome.problem));
      const { keys = [], data, ...page } = outcome.value;
      return success({ ...page, data: await withStates(on, type, { records: data, keys }) });
    },
    create: (bodies, by) => inTurn(() => createRecords(begin(), bodies, by)),
    edit: (type, reference, edit) => inTurn(() => editRecord(begin(), { type, reference }, edit)),
  };
}

async function readRecord(
  { on, registry }: Work,
  type: ResourceType,
  reference: string,
): Promise<Outcome<HeldRecord>> {
  const parsed = parseReference(reference);
  if (!parsed.ok) return parsed;
  if (parsed.value.type !== type) return failure(otherType(reference, parsed.value.type, type));
  const { system, value } = parsed.value;
  const found = await findIn(on, reference);
  const key = found.ok ? found.value.key : undefined;
  // What is unsent of it is of the same moment, or later: what is shown of unsent work must not be told as sent.
  const both = key !== undefined && on.get([recordKey(type, key), outboxKey(type, key)]);
  const [outcome] = await Promise.all([verbsOf(registry, type).read({ system, value }), both]);
  if (!outcome.ok) return outcome;
  const [held] = await withStates(on, type, { records: [outcome.value], keys: [key] });
  return held ? success(held) : failure(unknownReference(reference));
}

async function createRecords(
  { on, registry }: Work,
  bodies: readonly NewBody[],
  by: Author,
): Promise<Outcome<readonly HeldRecord[]>> {
  const entries = bodies.map((body): WriteEntry => ({ verb: "create", ...body }));
  const outcome = await registry.as(callerOf(await by)).transaction(entries);
  if (!outcome.ok) return outcome;
  const held = outcome.value.map((written) => heldOf(on, typeOf(written.record), written));
  return success(await Promise.all(held));
}

async function editRecord(
  { on, registry }: Work,
  { type, reference }: { readonly type: EditableType; readonly reference: string },
  edit: AuthoredEdit,
): Promise<Outcome<HeldRecord>> {
  const address = parseReference(reference);
  if (!address.ok) return address;
  if (address.value.type !== type) return failure(otherType(reference, address.value.type, type));
  // All of it is needed below, and each is another turn through the storage if it is asked for there.
  const [found, by] = await Promise.all([
    findIn(on, reference),
    edit.by,
    readState(on, "session"),
    edit.key === undefined ? undefined : on.get([outboxKey(type, edit.key)]),
  ]);
  if (!found.ok) return found;
  if (edit.key !== undefined && edit.key !== found.value.key) return failure(anotherByNow);
  const known = await knownOf(on, found.value, storedForm(type, edit.seen));
  const change = (current: JsonObject) => wantedRecord(type, current, { ...edit, ...known });
  const entry: WriteEntry = { verb: "update", type, address: address.value, change };
  const outcome = await registry.as(callerOf(by)).transaction([entry]);
  if (!outcome.ok) return failure(refused(outcome.problem, { ...found.value, reference }));
  const [written] = outcome.value;
  return written ? success(await heldOf(on, type, written)) : failure(unknownReference(reference));
}

/** Where a reference leads. */
async function findIn(store: Store, reference: string): Promise<Outcome<FoundKey>> {
  const parsed = parseReference(reference);
  if (!parsed.ok) return parsed;
  const { type } = parsed.value;
  const claim = canonicalReference(type, parsed.value);
  const holder = store.find ? (await store.find(claim))?.document : (await store.resolve([claim]))[0];
  return holder ? success({ type, key: holder.key }) : failure(unknownReference(reference));
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
function verbsOf(registry: RecordRegistry, type: ResourceType): Writable<JsonObject> {
  const view = registry.as(callerOf("device"));
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
