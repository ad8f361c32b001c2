import { isJsonObject, type Json, type JsonObject, sameJson } from "../../json.ts";
import { nameText } from "../../resource/derived.ts";
import {
  type PrintedReference,
  printRaw,
  rawReference,
  type StoredReference,
} from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";

/**
 * The form in which a record is kept: the wire record without what is derived (`groupMembership`, `quantity`, a
 * program's `status`, references' `display`, a `name.text` that says no more than the other names) and without an empty
 * `extension`, its references raw. Two copies of one version of a record are equal in this form, wherever they came from.
 *
 * @param previousName the `name` before a change: a text derived from it was never the writer's own
 */
export function storedForm(type: ResourceType, record: JsonObject, previousName?: Json): JsonObject {
  const kept: Record<string, Json> = {};
  for (const [member, value] of Object.entries(record)) {
    if (!isDerived(type, member)) kept[member] = value;
  }
  if (type === "Individual" && isJsonObject(kept.name)) kept.name = ownName(kept.name, previousName);
  return readReferences(type, withoutEmptyExtension(kept));
}

function isDerived(type: ResourceType, member: string): boolean {
  if (type === "Individual") return member === "groupMembership";
  if (type === "Group") return member === "quantity";
  return type === "Program" && member === "status";
}

/** An empty `extension` is no extension at all: who may not see extensions learns nothing by sending it. */
function withoutEmptyExtension(record: JsonObject): JsonObject {
  const { extension, ...rest } = record;
  return sameJson(extension, {}) ? rest : record;
}

/** What a record says, without `meta`. An empty `extension`, as earlier versions kept it, says nothing. */
export function contentOf({ meta: _, ...content }: JsonObject): JsonObject {
  return withoutEmptyExtension(content);
}

function ownName(name: JsonObject, previousName: Json | undefined): JsonObject {
  const { text, ...parts } = name;
  const derived = [nameText(parts)];
  if (isJsonObject(previousName)) {
    const { text: _, ...previousParts } = previousName;
    derived.push(nameText(previousParts));
  }
  return text === undefined ||
    String(text).trim() === "" ||
    (Object.keys(parts).length > 0 && derived.includes(String(text)))
    ? parts
    : name;
}

/** A written record with its references in stored form, without `display`, which is derived. */
export function readReferences(type: ResourceType, record: JsonObject): JsonObject {
  return rewritten(type, record, rawReference);
}

/** A stored record with every reference rewritten. */
export function mapReferences(
  type: ResourceType,
  record: JsonObject,
  rewrite: (reference: StoredReference) => StoredReference | PrintedReference,
): JsonObject {
  return rewritten(type, record, (reference) => rewrite(reference as StoredReference));
}

function rewritten(
  type: ResourceType,
  record: JsonObject,
  rewrite: (reference: string) => string,
): JsonObject {
  const one = (value: Json): Json =>
    isJsonObject(value) && typeof value.reference === "string"
      ? { reference: rewrite(value.reference) }
      : value;
  // What is not there is hidden perhaps, and stays so.
  const at = (within: JsonObject, name: string) => {
    const value = within[name];
    return value === undefined ? {} : { [name]: one(value) };
  };
  if (type === "Group" && Array.isArray(record.member)) {
    const member = record.member.map((item: Json) =>
      isJsonObject(item) ? { ...item, ...at(item, "entity") } : item,
    );
    return { ...record, member };
  }
  if (type === "ProgramMembership") {
    return { ...record, ...at(record, "program"), ...at(record, "beneficiary") };
  }
  return record;
}

/** Where a record refers to another: the JSON pointer of the reference, and the reference in the record's form. */
export interface ReferenceUse<Reference extends string = StoredReference> {
  readonly pointer: string;
  readonly reference: Reference;
}

/** The references of a record in stored form, in their order. */
export function referencesOf(type: ResourceType, record: JsonObject): readonly ReferenceUse[] {
  return usesIn<StoredReference>(type, record);
}

/** The references of a record as answers show it, in their order. */
export function printedReferencesOf(
  type: ResourceType,
  record: JsonObject,
): readonly ReferenceUse<PrintedReference>[] {
  return usesIn<PrintedReference>(type, record);
}

function usesIn<Reference extends string>(type: ResourceType, record: JsonObject): ReferenceUse<Reference>[] {
  const uses: ReferenceUse<Reference>[] = [];
  const add = (pointer: string, value: Json | undefined) => {
    if (isJsonObject(value) && typeof value.reference === "string") {
      uses.push({ pointer: `${pointer}/reference`, reference: value.reference as Reference });
    }
  };
  if (type === "Group" && Array.isArray(record.member)) {
    record.member.forEach((item: Json, i: number) => {
      if (isJsonObject(item)) add(`/member/${i}/entity`, item.entity);
    });
  }
  if (type === "ProgramMembership") {
    add("/program", record.program);
    add("/beneficiary", record.beneficiary);
  }
  return uses;
}

/** The keys that stand beside the references of a body, by the raw form of these. */
export function keysBeside(type: ResourceType, body: JsonObject): Readonly<Record<string, string>> {
  const items = type === "Group" && Array.isArray(body.member) ? body.member : [];
  const entities = items.map((item: Json) => (isJsonObject(item) ? item.entity : undefined));
  const keys = [...entities, body.program, body.beneficiary].flatMap((value) => {
    const { reference = null, key = null } = isJsonObject(value) ? value : {};
    const isGiven = typeof reference === "string" && typeof key === "string";
    return isGiven ? [[rawReference(reference), key] as const] : [];
  });
  return Object.fromEntries(keys);
}

/** When a record was last changed; empty where it does not say. */
export function lastUpdatedOf({ meta }: JsonObject): string {
  return isJsonObject(meta) && typeof meta.lastUpdated === "string" ? meta.lastUpdated : "";
}

/** The identifiers of a record, `system` and `value`. */
export function identifiersOf(record: JsonObject): readonly { system: string; value: string }[] {
  const list = Array.isArray(record.identifier) ? record.identifier : [];
  return list.filter(
    (item: Json): item is { system: string; value: string } =>
      isJsonObject(item) && typeof item.system === "string" && typeof item.value === "string",
  );
}

/** A stored record as its writer would send it: references printed, nothing derived. */
export function wireForm(type: ResourceType, record: JsonObject): JsonObject {
  return mapReferences(type, record, printRaw);
}
