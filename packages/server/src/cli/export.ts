import {
  isJsonObject,
  type Json,
  type JsonObject,
  operator,
  type Page,
  type Registry,
  type ResourceType,
  referenceTo,
  type Store,
  type StoredDocument,
  type StoredRecord,
  storedRecord,
  unwrap,
  wireForm,
  withCurrentReferences,
  withPhotos,
} from "@fieldroll/core";
import { type MemberOrder, memberOrder } from "./member-order.ts";

/** Where an export comes from. */
export interface Source {
  readonly registry: Registry;
  readonly store: Store;
}

const pageLimit = 500;

/**
 * Everything that an import reads, in the order in which it may be created: programs with their funds, persons, groups,
 * enrollments, consents, cycles, entitlements, change requests; within a type in the order in which they came. Records are whole: archived ones,
 * photos and extensions too, with the key that others know them by (`ext_id`), without what is derived and without `meta`. Members come in the order of the schemas, so that the
 * same content is the same text. A page at a time is held.
 */
export async function* exportLines(source: Source): AsyncGenerator<JsonObject, void, undefined> {
  const order = memberOrder(source.registry.facts);
  yield* programs(source, order);
  for (const type of ["Individual", "Group", "ProgramMembership"] as const) {
    for await (const stored of recordsOf(source.store, type)) {
      yield* await withPhotos(source.store, [recordOf(stored, order)]);
    }
  }
  yield* consents(source, order);
  yield* cycles(source);
  yield* entitlements(source);
  yield* changeRequests(source, order);
}

async function* documentsOf(store: Store, collection: string): AsyncGenerator<StoredDocument> {
  for await (const page of pagesOf(store, collection)) yield* page;
}

/** Those who left a group are not followed when they get other identifiers: their references are put as they lead today. */
async function* recordsOf(store: Store, type: ResourceType): AsyncGenerator<StoredRecord> {
  for await (const page of pagesOf(store, type))
    yield* await withCurrentReferences(page.map(storedRecord), store);
}

async function* pagesOf(store: Store, collection: string): AsyncGenerator<readonly StoredDocument[]> {
  let after: { value: string | null; key: string } | undefined;
  do {
    const page = await store.query({ collection, limit: pageLimit, ...(after && { after }) });
    yield page.documents;
    after = page.next;
  } while (after);
}

function recordOf({ type, key, record }: StoredRecord, order: MemberOrder): JsonObject {
  const { meta: _, ...own } = wireForm(type, record);
  const { type: __, ...rest } = order.record(type)(own);
  return { type, ext_id: key, ...rest };
}

async function* programs({ registry, store }: Source, order: MemberOrder): AsyncGenerator<JsonObject> {
  const { programDesk } = registry.as(operator);
  for await (const stored of recordsOf(store, "Program")) {
    const fund = unwrap(await programDesk.fund(stored.key));
    yield { ...recordOf(stored, order), ...(fund && { fund: { ...fund.total } }) };
  }
}

async function* consents({ registry, store }: Source, order: MemberOrder): AsyncGenerator<JsonObject> {
  const view = registry.as(operator);
  for await (const { key } of documentsOf(store, "Consent")) {
    const { meta: _, ...consent } = unwrap(await view.consents.read(key));
    yield order.consent(plain(consent));
  }
}

async function* cycles({ registry, store }: Source): AsyncGenerator<JsonObject> {
  const view = registry.as(operator);
  for await (const document of documentsOf(store, "Program")) {
    const program = referenceIn("Program", document);
    for await (const cycle of itemsOf((request) => view.cycles.list(document.key, request).then(unwrap))) {
      const { ext_id, name, sequence, start_date, end_date, state } = cycle;
      yield { type: "Cycle", ext_id, program, name, sequence, start_date, end_date, state };
    }
  }
}

async function* entitlements({ registry, store }: Source): AsyncGenerator<JsonObject> {
  const view = registry.as(operator);
  for await (const found of itemsOf((request) => view.entitlements.list(request).then(unwrap))) {
    const { ext_id, ern, cycle_ext_id: cycle, amount, valid_from, valid_until, state, approved_at } = found;
    const [person] = await store.get([{ collection: "Individual", key: found.registrant_ext_id }]);
    const beneficiary = person ? referenceIn("Individual", person) : "";
    yield plain({
      ...{ type: "Entitlement", ext_id, ern, cycle, beneficiary, amount, valid_from, valid_until, state },
      ...(approved_at === null ? {} : { approved_at }),
    });
  }
}

async function* changeRequests({ registry, store }: Source, order: MemberOrder): AsyncGenerator<JsonObject> {
  const view = registry.as(operator);
  for await (const { key } of documentsOf(store, "change-request")) {
    const copy = unwrap(await view.changeRequests.copy(key));
    yield {
      type: "ChangeRequest",
      ...copy,
      ...(isJsonObject(copy.data) && { data: order.byName(copy.data) }),
    };
  }
}

async function* itemsOf<T>(
  list: (request: { readonly limit: string; readonly cursor?: string }) => Promise<Page<T>>,
): AsyncGenerator<T> {
  let cursor: string | undefined;
  do {
    const page = await list({ limit: String(pageLimit), ...(cursor === undefined ? {} : { cursor }) });
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== undefined);
}

function referenceIn(type: ResourceType, document: StoredDocument): string {
  return referenceTo(type, storedRecord(document).record);
}

function plain(value: object): JsonObject {
  return value as Readonly<Record<string, Json>>;
}
