import type { Caller } from "../registry/types.ts";
import type { ResourceType } from "../resource/types.ts";
import type { ConsentScope, ConsentStatus, Grantee } from "./types.ts";
import { identifiersOnly, type Visibility, wholeVisibility } from "./visibility.ts";

/** A record, as far as the rules of consent look at it. */
export interface ConsentedRecord {
  readonly type: ResourceType;
  readonly key: string;
  /** Of a ProgramMembership: the key of its beneficiary. */
  readonly beneficiary?: string;
  /** Keys of the groups that the person, or the person who is the beneficiary, is an active member of. */
  readonly groups: readonly string[];
}

/** The same before its groups are known. */
export type ConsentedKey = Omit<ConsentedRecord, "groups">;

/** A consent, as far as the rules look at it. */
export interface ConsentFacts {
  readonly id: string;
  /** Key of the Individual or Group that gave it. */
  readonly subject: string;
  readonly grantee: Grantee;
  readonly scope: readonly ConsentScope[];
  readonly purpose?: string;
  readonly status: ConsentStatus;
  /** YYYY-MM-DD, both days included. */
  readonly effectiveDate: string;
  readonly expiryDate?: string;
}

/** Legal bases that need no consent: contract section 3.1. */
export const exemptLegalBases: readonly string[] = [
  "legal_obligation",
  "vital_interest",
  "public_interest",
  "public_task",
  "contract",
  "legitimate_interest",
];

/** Whether a caller sees records without anybody's consent. Without a legal basis of its own a caller depends on consents. */
export function isExempt({ legalBasis = "consent" }: Pick<Caller, "legalBasis">): boolean {
  return exemptLegalBases.includes(legalBasis);
}

/**
 * What a caller may see of a record: contract section 3. Everything for an exempt caller and of a Program, which tells
 * of no person; else what the consents in force show together; in either case at most the caller's own `fields`. `type`
 * and `identifier` belong to whatever is shown. Basis `none` when nothing shows it.
 *
 * @param consents any consents; those that are not in force, of others or for others do not count
 * @param today YYYY-MM-DD
 */
export function visibleFields(
  caller: Caller,
  record: ConsentedRecord,
  consents: readonly ConsentFacts[],
  today: string,
): Visibility {
  if (isExempt(caller) || record.type === "Program") return within(wholeVisibility, caller.fields);
  const counting = consents.filter(
    (consent) =>
      isInForce(consent, today) &&
      names(consent, caller) &&
      speakersFor(record).includes(consent.subject) &&
      scopesFor(consent, record.type).length > 0,
  );
  if (counting.length === 0) return identifiersOnly;
  const scopes = counting.flatMap((consent) => scopesFor(consent, record.type));
  const [expires] = counting.flatMap(({ expiryDate }) => expiryDate ?? []).sort();
  const shown: Visibility = {
    basis: "active",
    fields: united(scopes),
    extensions: new Set(scopes.flatMap(({ extensions = [] }) => extensions)),
    consents: counting.map(({ id }) => id),
    ...(expires !== undefined && { expires }),
  };
  return within(shown, caller.fields);
}

/** Given or renewed, and on one of its days. */
export function isInForce(
  {
    status,
    effectiveDate,
    expiryDate,
  }: Pick<ConsentFacts, "status" | "effectiveDate"> & { readonly expiryDate?: string },
  today: string,
): boolean {
  const given = status === "given" || status === "renewed";
  return given && effectiveDate <= today && (expiryDate === undefined || today <= expiryDate);
}

/** Whether a consent is given to this caller, and for what it asks. A consent without a purpose is for any. */
export function names({ grantee, purpose }: Pick<ConsentFacts, "grantee" | "purpose">, caller: Caller) {
  const { organization, organizationType } = grantee;
  const addressed =
    (organization !== undefined && organization === caller.organization) ||
    (organizationType !== undefined && organizationType === caller.organizationType);
  return addressed && (purpose === undefined || purpose === caller.purpose);
}

/** What a consent says of one type of record. */
export function scopesFor({ scope }: Pick<ConsentFacts, "scope">, type: ResourceType) {
  return scope.filter(({ resourceType }) => resourceType === type || resourceType === "all");
}

/** Keys of all whose consents speak for a record. */
export function speakersFor({ key, beneficiary, groups }: ConsentedRecord): readonly string[] {
  return [beneficiary ?? key, ...groups];
}

const basic = ["type", "identifier", "name", "active", "meta"];

function united(scopes: readonly ConsentScope[]): Visibility["fields"] {
  if (scopes.some(({ fieldAccess }) => fieldAccess === "all")) return "all";
  const named = scopes.flatMap(({ fieldAccess, fields = [] }) => (fieldAccess === "basic" ? basic : fields));
  return new Set(["type", "identifier", ...named.filter((field) => !/^extension(\.|$)/.test(field))]);
}

/** No more than the fields that the caller may ever see. */
export function within(visibility: Visibility, fields: readonly string[] | undefined): Visibility {
  if (!fields) return visibility;
  const allowed = ["type", "identifier", ...fields];
  return {
    ...visibility,
    fields: new Set(allowed.flatMap((field) => common(visibility.fields, field))),
    extensions: allowedExtensions(visibility.extensions, fields),
  };
}

function common(shown: Visibility["fields"], field: string): readonly string[] {
  if (/^extension(\.|$)/.test(field)) return [];
  const [top = field] = field.split(".");
  if (shown === "all" || shown.has(field) || shown.has(top)) return [field];
  return [...shown].filter((one) => one.startsWith(`${field}.`));
}

function allowedExtensions(shown: Visibility["extensions"], fields: readonly string[]) {
  if (fields.includes("extension")) return shown;
  const named = fields.flatMap((field) => (field.startsWith("extension.") ? [field.slice(10)] : []));
  return new Set(named.filter((name) => shown === "all" || shown.has(name)));
}
