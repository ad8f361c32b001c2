import {
  type Condition,
  canonicalReference,
  contentOf,
  type Individual,
  type JsonObject,
  type Likened,
  type Likeness,
  type Outcome,
  printRaw,
  type Query,
  rankAlike,
  rawReference,
  recordKey,
  referenceTo,
  type Store,
  type StoredDocument,
  searchText,
  storedRecord,
  success,
  tellingParts,
  wireForm,
} from "@fieldroll/core";
import { shownMeanwhile } from "../model/absorb.ts";
import { entryState } from "../model/entry.ts";
import type { SimilarPerson } from "../types.ts";
import { entryOf } from "./outbox.ts";
import { addressOf, entryIn, loadWork, outboxKey } from "./work.ts";

const type = "Individual";
const mostShown = 10;
/** Of one question to the store; what is asked for is rare, unless a name and a town are very common. */
const mostFound = 40;

/** People on the device, sent or not, who may be a person: found by indexes, then compared. */
export async function similarPeople(
  store: Store,
  person: Likened,
): Promise<Outcome<readonly SimilarPerson[]>> {
  const place = placeOf(person);
  const found = await Promise.all([
    holdersOf(store, person),
    ...queriesFor(person).map((query) => ask(store, query, place)),
  ]);
  const documents = [...new Map(found.flat().map((document) => [document.key, document])).values()];
  const candidates = await candidatesIn(store, documents);
  const alike = rankAlike(person, candidates).filter(isWorthALook).slice(0, mostShown);
  const works = await loadWork(
    store,
    alike.map(({ key }) => ({ type, key })),
  );
  const similar = alike.map(({ key, record, score, evidence }, i): SimilarPerson => {
    const entry = works[i] && entryIn(works[i]);
    const state = entry ? entryState(entry) : "synced";
    const own = referenceTo(type, record as unknown as JsonObject);
    const reference = works[i] ? printRaw(addressOf(works[i], rawReference(own))) : own;
    return { key, record, reference, state, score, evidence };
  });
  return success(similar);
}

/** As they are handed out, but for photos: these tell nothing here, and weigh more than all the rest. */
async function candidatesIn(store: Store, documents: readonly StoredDocument[]) {
  const unsent = await store.get(documents.map(({ key }) => outboxKey(type, key)));
  return documents.map((document, i) => {
    const { record } = storedRecord(document);
    const shown = unsent[i] ? shownMeanwhile(entryOf(unsent[i]), record) : record;
    const { photo: _photo, ...content } = contentOf(shown);
    return { key: document.key, record: wireForm(type, content) as unknown as Individual };
  });
}

/** An archived record is out of use, but still has its identifiers. */
function isWorthALook({ record, evidence }: { readonly record: Individual } & Likeness): boolean {
  return record.active || evidence.some(({ kind }) => kind === "identifier");
}

async function holdersOf(store: Store, { identifier = [] }: Likened): Promise<readonly StoredDocument[]> {
  if (identifier.length === 0) return [];
  const holders = await store.resolve(identifier.map((each) => canonicalReference(type, each)));
  const keys = holders.flatMap((holder) => (holder ? [recordKey(type, holder.key)] : []));
  return (await store.get(keys)).filter((document) => document !== undefined);
}

/** Where a name is so common that more are found than one may look at, those of the same place come too. */
async function ask(
  store: Store,
  { where, ...rest }: Asked,
  place?: Condition,
): Promise<readonly StoredDocument[]> {
  const { documents, next } = await store.query({ collection: type, limit: mostFound, where, ...rest });
  if (!next || !place || where.includes(place)) return documents;
  return [...documents, ...(await ask(store, { where: [...where, place], ...rest }, place))];
}

type Asked = Pick<Query, "sort" | "after"> & { readonly where: readonly Condition[] };

/**
 * What finds those who may be a person: both names as they begin, or one of them whole. A year of birth narrows it, and those
 * without one are asked for by themselves. Looking at beginnings costs a store next to nothing, for the index has a name both
 * ways round.
 */
function queriesFor(person: Likened): readonly Asked[] {
  const numbers = [
    ...new Set(person.telecom?.flatMap(({ value }) => (value ? [value, value.replace(/[^+\d]/g, "")] : []))),
  ];
  const phone: readonly Asked[] =
    numbers.length > 0 ? [{ where: [{ index: "telecom", anyOf: numbers }] }] : [];
  const names = tellingNames(person);
  if (names.length === 0) return phone;
  const whole = names.map((name) => nameBegins(name));
  if (!person.birthDate) return [...phone, { where: whole }];
  const year = Number(person.birthDate.slice(0, 4));
  const nearer = born(year, person.birthDateEstimated ? 3 : 1);
  return [
    ...phone,
    { where: [...whole, born(year, 3)] },
    { where: whole, sort: { index: "birthdate" }, after: { value: null, key: "" } },
    { where: [...names.map((name) => nameBegins(name, 3)), nearer] },
    ...(names.length > 1 ? whole.map((name) => ({ where: [name, nearer] })) : []),
  ];
}

/** The given and the family name, or the ends of a name in full; folded for searching, without their later words. */
function tellingNames({ name = {} }: Likened): readonly string[] {
  const text = searchText(name.text ?? "").split(" ");
  const parts = name.given || name.family ? [name.given, name.family] : [text[0], text.slice(1).at(-1)];
  return parts.flatMap((part) => searchText(part ?? "").match(/^.{3}[^ ]*|^.+/u) ?? []);
}

/** Where a name begins with a letter that is also written otherwise, what comes after it is looked for anywhere. */
function nameBegins(name: string, length?: number): Condition {
  const [part = ""] = tellingParts(name);
  const at = { index: "name" };
  return name.startsWith(part) ? { ...at, prefix: name.slice(0, length) } : { ...at, contains: part };
}

function born(year: number, apart: number): Condition {
  return { index: "birthdate", from: `${year - apart}-01-01`, below: `${year + apart + 1}-01-01` };
}

/** The smallest place that is known. */
function placeOf({ address = [] }: Likened): Condition | undefined {
  const place = address.flatMap(({ district, city }) => district || city || [])[0];
  return place === undefined ? undefined : { index: "address", contains: searchText(place) };
}
