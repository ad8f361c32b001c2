import { isJsonObject, type Json, type JsonObject, pointerTo } from "../json.ts";
import {
  canonicalReference,
  type PrintedReference,
  parseReference,
  type StoredReference,
} from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";

/** A place in the data of a change request that names a record. */
export interface DataReference {
  /** JSON pointer into the data. */
  readonly pointer: string;
  readonly type: ResourceType;
  readonly raw: StoredReference;
}

/** The references in data: every `{"reference": "<Type>/<system>|<value>"}`, at any depth. */
export function referencesInData(data: JsonObject): readonly DataReference[] {
  const found: DataReference[] = [];
  const look = (value: Json, at: string): void => {
    if (Array.isArray(value)) for (const [i, item] of value.entries()) look(item as Json, `${at}/${i}`);
    if (!isJsonObject(value)) return;
    const named = namedBy(value.reference);
    if (named) found.push({ pointer: `${at}/reference`, ...named });
    for (const [name, member] of Object.entries(value)) look(member, pointerTo(at, name));
  };
  look(data, "");
  return found;
}

/** The same data, each reference rewritten; one for which there is no other stays as it is written. */
export function mapDataReferences(
  data: JsonObject,
  rewrite: (raw: StoredReference) => PrintedReference | undefined,
): JsonObject {
  const mapped = (value: Json): Json => {
    if (Array.isArray(value)) return value.map(mapped);
    return isJsonObject(value) ? inObject(value) : value;
  };
  const inObject = (value: JsonObject): JsonObject => {
    const named = namedBy(value.reference);
    const other = named && rewrite(named.raw);
    const members = Object.entries(value).map(([name, member]) =>
      name === "reference" && other !== undefined ? [name, other] : [name, mapped(member)],
    );
    return Object.fromEntries(members) as JsonObject;
  };
  return inObject(data);
}

function namedBy(text: Json | undefined): Omit<DataReference, "pointer"> | undefined {
  if (typeof text !== "string") return undefined;
  const parsed = parseReference(text);
  if (!parsed.ok) return undefined;
  const { type } = parsed.value;
  const raw = canonicalReference(type, parsed.value);
  // A store takes no such claim, so no record has it.
  return raw.includes("\0") ? undefined : { type, raw };
}
