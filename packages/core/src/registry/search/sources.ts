import { isExempt } from "../../consent/visible-fields.ts";
import { isJsonObject, type JsonObject } from "../../json.ts";
import type { Condition, Query } from "../../store/port.ts";
import { recordKey, type StoredRecord, storedRecord } from "../record/document.ts";
import { activeMembers } from "../record/render.ts";
import type { Settings } from "../settings.ts";
import { coveredKeys } from "../sight.ts";
import type { Caller } from "../types.ts";
import { membersInRole } from "./roles.ts";
import type { Criteria, PlannedSearch } from "./search.ts";
import type { Found } from "./target.ts";

/** Records to look at, in chunks. */
export interface Source {
  /** Whether they come in the search's order and begin after its cursor: then looking ends with the page. */
  readonly inOrder: boolean;
  readonly chunks: AsyncIterable<readonly StoredRecord[]>;
}

/** More records are not looked at in one go. */
export const largestChunk = 500;

/** All that a bound caller is covered for; no condition on what may be hidden reaches the store. */
export async function coveredSource(
  settings: Settings,
  caller: Caller,
  search: PlannedSearch,
): Promise<Source> {
  const keys = await coveredKeys(settings, caller, search.type);
  if (keys !== "all") return byKeys(settings, keys, search);
  const inOrder = !search.sort && !search.total;
  const where = search.criteria.where.filter(({ index }) => seesIndex(caller, index));
  return {
    inOrder,
    chunks: queried(settings, { collection: search.type, where, ...(inOrder && pageStart(search)) }),
  };
}

/** The fields behind indexes that have the same values whoever asks. */
const fieldsBehind: Readonly<Record<string, string>> = {
  identifier: "identifier",
  identity: "identifier",
  name: "name",
  birthdate: "birthDate",
  gender: "gender",
  telecom: "telecom",
  address: "address",
  lastUpdated: "meta",
  groupType: "groupType",
  targetType: "targetType",
  programType: "programType",
  enrollmentDate: "enrollmentDate",
};

/** Whether a caller sees all that an index is made of, of every record. */
function seesIndex(caller: Caller, index: string): boolean {
  const field = Object.hasOwn(fieldsBehind, index) ? (fieldsBehind[index] ?? "") : "";
  if (field === "identifier") return true;
  return isExempt(caller) && field !== "" && (caller.fields?.includes(field) ?? true);
}

/** So many people are looked at for one with a role, before all groups are asked for those who have it. */
const lookedAt = 2_000;

/** What may be found by a caller who sees everything: a group's members, or what the indexes narrow it to. */
export async function openSource(settings: Settings, search: PlannedSearch): Promise<Source> {
  const { criteria, type, sort } = search;
  const choice = criteria.groups.find(({ none }) => !none);
  if (choice) return byKeys(settings, await memberKeys(settings, choice.groups), search);
  const query = { collection: type, where: indexedConditions(criteria) };
  const [roles] = criteria.groups.length === 0 ? criteria.roles : [];
  if (roles && search.total) return byKeys(settings, await keysInRole(settings, roles), search);
  if (roles && !sort) return { inOrder: true, chunks: inRole(settings, search, roles) };
  if (search.total) return { inOrder: false, chunks: queried(settings, query) };
  return {
    inOrder: true,
    chunks: queried(settings, { ...query, ...(sort && { sort }), ...pageStart(search) }),
  };
}

/** What a store may decide of a search: conditions on what its caller sees all of. */
export function indexedConditions({ where, withoutArchived }: Criteria): readonly Condition[] {
  return withoutArchived ? [...where, { index: "active", anyOf: ["true"] }] : where;
}

/**
 * People by key, for those with a role: a common one fills the page from the first that are looked at. A rare one does not,
 * and no index has it, since a role is the group's to tell: then only those who have it are read on.
 */
async function* inRole(settings: Settings, search: PlannedSearch, roles: readonly string[]) {
  const { type, criteria } = search;
  let looked = 0;
  let last: string | undefined;
  const query = { collection: type, where: indexedConditions(criteria), ...pageStart(search) };
  for await (const chunk of queried(settings, query)) {
    yield chunk;
    looked += chunk.length;
    last = chunk.at(-1)?.key;
    if (looked >= lookedAt) break;
  }
  if (looked < lookedAt || last === undefined) return;
  const after = { value: null, key: last };
  yield* byKeys(settings, await keysInRole(settings, roles), { ...search, after }).chunks;
}

function pageStart({ after, limit }: PlannedSearch) {
  return { size: limit + 1, ...(after && { after }) };
}

function byKeys({ store }: Settings, keys: readonly string[], search: PlannedSearch): Source {
  const inOrder = !search.sort && !search.total;
  const { after, limit, type } = search;
  const rest = inOrder && after ? keys.filter((key) => key > after.key) : keys;
  async function* chunks() {
    let size = inOrder ? limit + 1 : largestChunk;
    for (let at = 0; at < rest.length; ) {
      const documents = await store.get(rest.slice(at, at + size).map((key) => recordKey(type, key)));
      yield documents.flatMap((document) => (document ? [storedRecord(document)] : []));
      at += size;
      size = larger(size);
    }
  }
  return { inOrder, chunks: chunks() };
}

/** The records that a store finds. */
export async function* queried(
  { store }: Pick<Settings, "store">,
  { size: first = largestChunk, ...query }: Omit<Query, "limit"> & { readonly size?: number },
): AsyncIterable<readonly StoredRecord[]> {
  let after = query.after;
  let size = Math.min(first, largestChunk);
  do {
    const page = await store.query({ ...query, limit: size, ...(after && { after }) });
    yield page.documents.map(storedRecord);
    after = page.next;
    size = larger(size);
  } while (after);
}

/** Few records are enough for most pages; where they are not, larger chunks cost less. */
function larger(size: number): number {
  return Math.min(2 * size, largestChunk);
}

/** Keys, in order, of the persons who are members of any of these groups today. */
function memberKeys(settings: Settings, groups: readonly Found[]): Promise<readonly string[]> {
  const today = settings.today();
  return keysOf(
    settings,
    groups.flatMap(({ stored }) =>
      stored ? [{ group: stored, members: activeMembers(stored.record, today) }] : [],
    ),
  );
}

async function keysInRole(settings: Settings, roles: readonly string[]): Promise<readonly string[]> {
  return keysOf(settings, await membersInRole(settings, roles));
}

async function keysOf(
  { store }: Settings,
  groups: readonly { readonly group: StoredRecord; readonly members: readonly JsonObject[] }[],
): Promise<readonly string[]> {
  const references = groups.flatMap(({ group, members }) =>
    members.map(({ entity }) => {
      const reference = isJsonObject(entity) ? String(entity.reference) : "";
      return { reference, key: group.links[reference] };
    }),
  );
  const linked = references.flatMap(({ key }) => key ?? []);
  const unlinked = references.flatMap(({ key, reference }) => (key === undefined ? [reference] : []));
  const found = unlinked.length > 0 ? await store.resolve(unlinked) : [];
  return [...new Set([...linked, ...found.flatMap((holder) => holder?.key ?? [])])].sort();
}
