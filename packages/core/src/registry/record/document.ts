import { isJsonObject, type Json, type JsonObject } from "../../json.ts";
import { canonicalReference, type StoredReference } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { genderSystem } from "../../resource/vocabularies.ts";
import type { Document, DocumentKey, Entries, StoredDocument } from "../../store/port.ts";
import { searchText } from "../../text.ts";
import { identifiersOf } from "./stored.ts";

/** Stored reference to the internal key of the record it names, for those that resolve. */
export type Links = Readonly<Record<string, string>>;

/** The references that resolve, each with its key. */
export function linkEntries(links: Links): readonly (readonly [StoredReference, string])[] {
  return Object.entries(links) as [StoredReference, string][];
}

/** A record as a store keeps it. */
export interface StoredRecord {
  readonly type: ResourceType;
  readonly key: string;
  /** The document's version: counts its writes. The record's own version is `record.meta.versionId`. */
  readonly version: number;
  /** In stored form: see `storedForm`. */
  readonly record: JsonObject;
  readonly links: Links;
  readonly feeds: readonly string[];
  /** Claims beyond those that follow from the record. */
  readonly aliases?: readonly string[];
}

/** The claim of an enrollment, by internal keys: one membership for a program and a beneficiary. */
export function enrollmentClaim(programKey: string, beneficiaryKey: string): string {
  return `enrollment:${programKey}|${beneficiaryKey}`;
}

/** Builds the document of a record, with its claims and index entries. */
export function recordDocument(stored: StoredRecord): Document {
  const { type, key, version, record, links, feeds } = stored;
  return {
    collection: type,
    key,
    version,
    body: { record, links },
    claims: recordClaims(stored),
    entries: entriesOf(type, record, links),
    feeds: [...feeds],
  };
}

/** What no other record may have: what follows from the record, and its aliases. */
export function recordClaims({ type, record, links, aliases = [] }: StoredRecord): readonly string[] {
  return [...new Set([...claimsOf(type, record, links), ...aliases])];
}

/** Reads a record back from its document. */
export function storedRecord(document: StoredDocument): StoredRecord {
  const { record, links } = document.body as unknown as { record: JsonObject; links: Links };
  const { key, version, feeds } = document;
  const type = document.collection as ResourceType;
  const own = new Set(claimsOf(type, record, links));
  const aliases = document.claims.filter((claim) => !own.has(claim));
  return { type, key, version, record, links, feeds, aliases };
}

/** What follows from a record: each identifier, and a beneficiary's place in a program. */
function claimsOf(type: ResourceType, record: JsonObject, links: Links): readonly string[] {
  const identifiers = identifiersOf(record).map((identifier) => canonicalReference(type, identifier));
  const program = linkOf(record.program, links);
  const beneficiary = linkOf(record.beneficiary, links);
  const pair = program && beneficiary ? [enrollmentClaim(program, beneficiary)] : [];
  return [...identifiers, ...pair];
}

/** Names a record's document. */
export function recordKey(type: ResourceType, key: string): DocumentKey {
  return { collection: type, key };
}

function linkOf(value: Json | undefined, links: Links): string | undefined {
  return isJsonObject(value) ? links[String(value.reference)] : undefined;
}

/**
 * What searches look at: contract section 4. Every index a parameter uses is filled here and nowhere else.
 *
 * @param record in stored form, or a part of one: an index is filled from what is there
 */
export function entriesOf(type: ResourceType, record: JsonObject, links: Links): Entries {
  const meta = isJsonObject(record.meta) ? record.meta : {};
  const common = {
    identifier: identifiersOf(record).map((identifier) => identifier.value),
    identity: identifiersOf(record).map((identifier) => `${identifier.system}|${identifier.value}`),
    lastUpdated: strings(meta.lastUpdated),
  };
  switch (type) {
    case "Individual":
      return compact({
        ...common,
        active: [String(record.active !== false)],
        name: nameEntries(record.name),
        birthdate: strings(record.birthDate),
        gender: codes(record.gender, genderSystem),
        telecom: members(record.telecom, "value"),
        address: addressEntries(record.address),
      });
    case "Group":
      return compact({
        ...common,
        active: [String(record.active !== false)],
        name: strings(record.name).map(searchText),
        groupType: strings(record.groupType),
        member: memberEntries(record.member, links, false),
        formerMember: memberEntries(record.member, links, true),
        memberEnd: memberEnds(record.member),
        address: addressEntries(record.address),
      });
    case "Program":
      return compact({
        ...common,
        active: [String(record.active !== false)],
        name: strings(record.name).map(searchText),
        targetType: strings(record.targetType),
        programType: codes(record.programType),
        endsOn: [endsOn(record)],
      });
    case "ProgramMembership":
      return compact({
        ...common,
        status: strings(record.status),
        program: referenceEntries(record.program, links),
        beneficiary: referenceEntries(record.beneficiary, links),
        enrollmentDate: strings(record.enrollmentDate),
      });
  }
}

/** An archived program has ended, whatever its period says; one without an end sorts after every date. */
function endsOn(program: JsonObject): string {
  if (program.active === false) return "0001-01-01";
  return isJsonObject(program.period) && program.period.end ? String(program.period.end) : "9999-12-31";
}

function strings(value: Json | undefined): string[] {
  return typeof value === "string" ? [value] : [];
}

function members(list: Json | undefined, name: string): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Json) => (isJsonObject(item) ? strings(item[name]) : []));
}

/** Codes with their system, and alone where they are of the vocabulary that a bare code means; without one, of any. */
export function codes(concept: Json | undefined, own?: string): string[] {
  const list: readonly Json[] = isJsonObject(concept) && Array.isArray(concept.coding) ? concept.coding : [];
  return list.filter(isJsonObject).flatMap(({ system, code }) => {
    const bare = own === undefined || system === own ? [String(code)] : [];
    return [...bare, `${String(system)}|${String(code)}`];
  });
}

/** The whole name first, because sorting uses the first value; then a text that says something else. */
function nameEntries(name: Json | undefined): string[] {
  if (!isJsonObject(name)) return [];
  const parts = [name.family, name.given, name.middle, name.prefix, name.suffix].flatMap(strings);
  const spoken = [name.given, name.middle, name.family].flatMap(strings);
  return [parts.join(" "), spoken.join(" "), ...strings(name.text)]
    .map(searchText)
    .filter((text) => text !== "");
}

function addressEntries(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.filter(isJsonObject).map((address) => {
    const lines = Array.isArray(address.line) ? address.line.flatMap(strings) : [];
    const parts = [address.text, ...lines, address.city, address.district, address.state, address.postalCode];
    return searchText([...parts, address.country].flatMap(strings).join(" "));
  });
}

/** A reference is found by its target's key, and by its own text where the target is not here (yet). */
function referenceEntries(value: Json | undefined, links: Links): string[] {
  if (!isJsonObject(value) || typeof value.reference !== "string") return [];
  const link = links[value.reference];
  return link === undefined ? [value.reference] : [link, value.reference];
}

function memberEntries(list: Json | undefined, links: Links, isFormer: boolean): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Json) =>
    isJsonObject(item) && (item.inactive === true) === isFormer ? referenceEntries(item.entity, links) : [],
  );
}

/** The last days of members whose time in the group ends. */
function memberEnds(list: Json | undefined): string[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: Json) =>
    isJsonObject(item) && isJsonObject(item.period) ? strings(item.period.end) : [],
  );
}

function compact(entries: Record<string, string[]>): Entries {
  const filled = Object.entries(entries).map(([name, values]) => [name, [...new Set(values)]] as const);
  return Object.fromEntries(filled.filter(([, values]) => values.length > 0));
}
