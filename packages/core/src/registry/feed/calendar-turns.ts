import { activePersons, consentsFor } from "../../consent/consent-sight.ts";
import { consentCollection, factsOf, granteeEntries, storedConsent } from "../../consent/document.ts";
import { dayAfter, startOf, touches, turnsWithin } from "../../consent/periods.ts";
import { toldUnder } from "../../consent/touch.ts";
import { names } from "../../consent/visible-fields.ts";
import type { DocumentKey, Position, Query, StoredDocument } from "../../store/port.ts";
import { everyPageOf } from "../every-page.ts";
import { recordKey, storedRecord } from "../record/document.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";

/**
 * A place in the order in which turns are told. The kinds of turn are 0, consents that begin; 1, consents that end; 2, members whose
 * time in a group is over.
 */
export type TurnMark = { readonly kind: number; readonly value: string; readonly key: string };

/** Records whose sight the calendar changed, and the place behind them. */
export interface Turn {
  readonly mark: TurnMark;
  readonly keys: readonly DocumentKey[];
}

/** Two days, YYYY-MM-DD: what turned after the first and by the last. */
export interface Days {
  readonly day: string;
  readonly until: string;
}

interface TurnKind {
  readonly query: Omit<Query, "limit">;
  readonly keysOf: (document: StoredDocument) => Promise<readonly DocumentKey[]>;
}

/** Few consents are read at once: each may speak for a household and its enrollments. */
const stride = 50;

/**
 * The turns of the calendar that concern a caller bound by consents, one consent or group at a time, from a place on. The dates are
 * indexed, so the work follows what turned and not how many consents there are.
 */
export async function* calendarTurns(
  settings: Settings,
  caller: Caller,
  { from, ...days }: Days & { readonly from?: TurnMark },
): AsyncIterable<Turn> {
  for (const [kind, { query, keysOf }] of turnKinds(settings, caller, days).entries()) {
    if (from && kind < from.kind) continue;
    let after: Position | undefined = from?.kind === kind ? { value: from.value, key: from.key } : undefined;
    do {
      const page = await settings.store.query({ ...query, limit: stride, ...(after && { after }) });
      settings.budget.spendRecords(page.documents.length);
      for (const document of page.documents) {
        const value = document.entries[query.sort?.index ?? ""]?.[0] ?? "";
        yield { mark: { kind, value, key: document.key }, keys: await keysOf(document) };
      }
      after = page.next;
    } while (after);
  }
}

function turnKinds(settings: Settings, caller: Caller, { day, until }: Days): readonly TurnKind[] {
  const grantee = { index: "grantee", anyOf: granteeEntries(caller) };
  const consents = (index: string, days: { readonly from: string; readonly below: string }): TurnKind => ({
    query: { collection: consentCollection, where: [grantee, { index, ...days }], sort: { index } },
    keysOf: async (document) => {
      const consent = storedConsent(document);
      // Of one that is recorded after its first day, withdrawn or renewed, the commit tells.
      const turned = consent.periods.slice(-1).some((period) => turnsWithin(period, day, until));
      return turned && names(factsOf(consent), caller) ? toldUnder(settings, [consent]) : [];
    },
  });
  return [
    consents("effectiveDate", { from: dayAfter(day), below: dayAfter(until) }),
    consents("expiryDate", { from: day, below: until }),
    {
      query: {
        collection: "Group",
        where: [{ index: "memberEnd", from: day, below: until }],
        sort: { index: "memberEnd" },
      },
      keysOf: (document) => endedMembers(settings, caller, { document, day, until }),
    },
  ];
}

/** Persons, with their enrollments, whose time in a group that gave the caller a consent ended within these days. */
async function endedMembers(
  settings: Settings,
  caller: Caller,
  { document, day, until }: Days & { readonly document: StoredDocument },
): Promise<readonly DocumentKey[]> {
  const consents = (await consentsFor(settings, caller, [document.key])).filter(
    (consent) =>
      names(factsOf(consent), caller) &&
      consent.periods.some((period) => touches(period, startOf(day), settings.now())),
  );
  if (consents.length === 0) return [];
  const group = storedRecord(document);
  const still = new Set(activePersons(group, until));
  const persons = activePersons(group, day).filter((person) => !still.has(person));
  const memberships = await everyPageOf(settings.store, {
    collection: "ProgramMembership",
    index: "beneficiary",
    anyOf: persons,
  });
  return [
    ...persons.map((key) => recordKey("Individual", key)),
    ...memberships.map(({ key }) => recordKey("ProgramMembership", key)),
  ];
}
