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
  parseReference,
  type RecordView,
  type RegistryConfig,
  type ResourceType,
  referenceTo,
  resourceShapes,
  type SearchParameters,
  type Store,
  storedForm,
  success,
  type Writable,
  type WriteEntry,
  type Written,
} from "@fieldroll/core";
import { collections } from "../device/documents.ts";
import { devicePolicies } from "../device/journal.ts";
import { entryOf } from "../device/outbox.ts";
import { sameContent } from "../model/content.ts";
import { entryId, entryState } from "../model/entry.ts";
import type { EditableType, HeldRecord, RecordEdit } from "../service-types.ts";
import type { RecordState } from "../types.ts";
import { changedMeanwhile, conflictProblem, unknownReference } from "./problems.ts";

/** The records on a device: read and edited by the same registry that the server runs. */
export interface DeviceRegistry {
  read(type: ResourceType, reference: string): Promise<Outcome<HeldRecord>>;
  search(type: ResourceType, parameters: SearchParameters): Promise<Outcome<Page<HeldRecord>>>;
  /** Makes several records in one durable step. */
  create(bodies: readonly JsonObject[], by: string): Promise<Outcome<readonly HeldRecord[]>>;
  edit(
    type: EditableType,
    reference: string,
    edit: RecordEdit & { readonly by: string },
  ): Promise<Outcome<HeldRecord>>;
  /** Where a reference leads on this device. */
  find(reference: string): Promise<Outcome<{ readonly type: ResourceType; readonly key: string }>>;
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
  const registry = createRecordRegistry({ store, newId, clock, ...rules, policies });
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
    if (address.value.type !== type) return failure(unknownReference(reference));
    const change = (current: JsonObject) => wantedRecord(type, current, edit);
    const entry: WriteEntry = { verb: "update", type, address: address.value, change };
    const outcome = await registry.as(callerOf(edit.by)).transaction([entry]);
    if (!outcome.ok)
      return outcome.problem.kind === "not-found" ? failure(unknownReference(reference)) : outcome;
    const [written] = outcome.value;
    return written ? success(await heldOf(store, type, written)) : failure(unknownReference(reference));
  }

  return {
    find,
    async read(type, reference) {
      const parsed = parseReference(reference);
      if (!parsed.ok) return parsed;
      if (parsed.value.type !== type) return failure(unknownReference(reference));
      const { system, value } = parsed.value;
      const outcome = await verbsOf(reader, type).read({ system, value });
      if (!outcome.ok) return outcome;
      const [held] = await withStates(store, type, [outcome.value]);
      return held ? success(held) : failure(unknownReference(reference));
    },
    async search(type, parameters) {
      const outcome = await verbsOf(reader, type).search(parameters);
      if (!outcome.ok) return outcome;
      return success({ ...outcome.value, data: await withStates(store, type, outcome.value.data) });
    },
    create: (bodies, by) =>
      inTurn(async () => {
        const entries = bodies.map((body): WriteEntry => ({ verb: "create", type: typeOf(body), body }));
        const outcome = await registry.as(callerOf(by)).transaction(entries);
        if (!outcome.ok) return outcome;
        const held = outcome.value.map((written, i) => heldOf(store, typeOf(bodies[i] ?? {}), written));
        return success(await Promise.all(held));
      }),
    edit: (type, reference, edit) => inTurn(() => update(type, reference, edit)),
  };
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

function typeOf(body: JsonObject): ResourceType {
  return body.type as ResourceType;
}

/** What the record is to become: the edit itself, or the edit merged with what changed since it was begun. */
function wantedRecord(
  type: ResourceType,
  current: JsonObject,
  { seen, next, whenChanged }: RecordEdit,
): Outcome<JsonObject> {
  const previousName = isJsonObject(seen) ? seen.name : undefined;
  const [base, ours] = [storedForm(type, seen), storedForm(type, next, previousName)];
  if (sameContent(base, current)) return success(ours);
  if (whenChanged === "refuse") return failure(changedMeanwhile);
  const { merged, conflicts } = merge({ base, ours, theirs: current, shape: resourceShapes[type] });
  return conflicts.length === 0 ? success(merged) : failure(conflictProblem(conflicts));
}

async function heldOf(
  store: Store,
  type: ResourceType,
  { record, reference }: Pick<Written<JsonObject>, "record" | "reference">,
): Promise<HeldRecord> {
  const [held] = await withStates(store, type, [record]);
  return held ?? { record, reference, state: "pending" };
}

/** Says of each record where it stands. */
async function withStates(
  store: Store,
  type: ResourceType,
  records: readonly JsonObject[],
): Promise<readonly HeldRecord[]> {
  const stored = records.map((record) => storedForm(type, record));
  const claims = stored.map((record) => parseReference(referenceTo(type, record)));
  const raw = claims.map((claim) => (claim.ok ? canonicalReference(type, claim.value) : ""));
  const holders = raw.length > 0 ? await store.resolve(raw) : [];
  const documents = await store.get(
    holders.map((holder) => ({ collection: collections.outbox, key: entryId(type, holder?.key ?? "none") })),
  );
  return records.map((record, i) => {
    const document = documents[i];
    const entry = document ? entryOf(document) : null;
    const state: RecordState = entry ? entryState(entry) : "synced";
    return { record, reference: referenceTo(type, stored[i] ?? record), state };
  });
}
