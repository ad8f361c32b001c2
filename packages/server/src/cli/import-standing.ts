import {
  canonicalReference,
  type DocumentKey,
  enrollmentClaim,
  identifiersOf,
  type JsonObject,
  parseReference,
  type RecordAddress,
  type ResourceType,
  type Store,
  storedRecord,
} from "@fieldroll/core";
import { referenceIn } from "./first-lines.ts";
import type { RecordLine } from "./import-lines.ts";

type Line = RecordLine<ResourceType>;

/** A record that is there already, for a line of an import. */
export interface Standing {
  /** Its key in the registry. */
  readonly key: string;
  readonly address: RecordAddress;
  /** Its identifiers as they are, for a line without any. */
  readonly identifier: JsonObject[string];
}

/**
 * Finds the records that lines are for: by any of their identifiers, or, for a membership without identifier, by its program
 * and beneficiary; else by their `ext_id`. Asks the store the same few times however many lines there are.
 */
export async function standingOf(store: Store, lines: readonly Line[]): Promise<ReadonlyMap<Line, Standing>> {
  const claims = new Map(lines.map((line) => [line, identifierClaims(line)]));
  const enrollments = await enrollmentClaims(store, lines);
  for (const [line, claim] of enrollments) claims.set(line, [claim]);
  const keys = await resolveAll(store, [...claims.values()].flat());
  const unnamed = [
    ...[...enrollments.values()].flatMap((claim) => keys.get(claim) ?? []),
    ...lines.flatMap(({ type, extId }) => (extId === undefined ? [] : { collection: type, key: extId })),
  ];
  const documents = unnamed.length > 0 ? await store.get(unnamed) : [];
  const records = new Map(
    documents.flatMap((found) => (found ? [[found.key, storedRecord(found).record] as const] : [])),
  );
  return new Map(
    lines.flatMap((line) => {
      const named = claims.get(line)?.map((claim) => keys.get(claim)?.key) ?? [];
      const byId = line.extId !== undefined && records.has(line.extId) ? line.extId : undefined;
      const key = [...named, byId].find((found) => found !== undefined);
      const record = key === undefined ? undefined : (records.get(key) ?? line.record);
      const standing = key !== undefined && record && standingAt(key, record, line.type, keys);
      return standing ? [[line, standing] as const] : [];
    }),
  );
}

/** Of several identifiers, the first that leads to the record. */
function standingAt(
  key: string,
  record: JsonObject,
  type: ResourceType,
  keys: ReadonlyMap<string, DocumentKey>,
): Standing | undefined {
  const identifiers = identifiersOf(record);
  const known = identifiers.find((one) => keys.get(canonicalReference(type, one))?.key === key);
  const address = known ?? identifiers[0];
  return address && { key, address, identifier: record.identifier ?? [] };
}

function identifierClaims({ type, record }: Line): readonly string[] {
  return identifiersOf(record).map((identifier) => canonicalReference(type, identifier));
}

/** The places in programs of memberships without identifier, as far as program and beneficiary are there. */
async function enrollmentClaims(store: Store, lines: readonly Line[]): Promise<ReadonlyMap<Line, string>> {
  const places = lines.flatMap((line) => {
    if (line.type !== "ProgramMembership" || identifiersOf(line.record).length > 0) return [];
    const program = claimIn(line.record.program);
    const beneficiary = claimIn(line.record.beneficiary);
    return program === undefined || beneficiary === undefined ? [] : [{ line, program, beneficiary }];
  });
  const keys = await resolveAll(
    store,
    places.flatMap(({ program, beneficiary }) => [program, beneficiary]),
  );
  return new Map(
    places.flatMap(({ line, program, beneficiary }) => {
      const [programKey, beneficiaryKey] = [keys.get(program)?.key, keys.get(beneficiary)?.key];
      if (programKey === undefined || beneficiaryKey === undefined) return [];
      return [[line, enrollmentClaim(programKey, beneficiaryKey)] as const];
    }),
  );
}

function claimIn(value: JsonObject[string] | undefined): string | undefined {
  const parsed = parseReference(referenceIn(value) ?? "");
  return parsed.ok ? canonicalReference(parsed.value.type, parsed.value) : undefined;
}

async function resolveAll(
  store: Store,
  claims: readonly string[],
): Promise<ReadonlyMap<string, DocumentKey>> {
  const list = [...new Set(claims)];
  const keys = list.length > 0 ? await store.resolve(list) : [];
  return new Map(
    list.flatMap((claim, i) => {
      const key = keys[i];
      return key ? [[claim, key] as const] : [];
    }),
  );
}
