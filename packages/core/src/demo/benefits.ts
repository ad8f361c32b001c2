import type { Money } from "../benefits/types.ts";
import type { Grantee } from "../consent/types.ts";
import { isJsonObject, type JsonObject } from "../json.ts";
import { daysBefore } from "./days.ts";
import { createChoices } from "./random.ts";

export interface DemoBenefitsOptions {
  /** `YYYY-MM-DD`. */
  readonly today: string;
  /** Whom people have allowed to see something of them. */
  readonly partner: Required<Grantee>;
}

/** What stands beside the demonstration's records, as `import` reads it. */
export interface DemoBenefits {
  readonly fund: { readonly program: string; readonly total: Money };
  readonly cycle: JsonObject;
  readonly entitlements: readonly JsonObject[];
  readonly consents: readonly JsonObject[];
}

/** The states of the entitlements: the fund covers the approved ones and all but one of those that wait. */
const states = ["approved", "approved", "pending_validation", "pending_validation", "pending_validation"];
const monthly: Money = { value: "1000.00", currency: "PHP" };
const total: Money = { value: "4000.00", currency: "PHP" };

/**
 * Makes a fund, a cycle and entitlements of the pension, and a few consents to one partner: of a whole household, of some
 * fields, of the least, and one that was withdrawn. The same records give the same.
 *
 * @param records as `demoRecords` makes them: at least the first four households
 */
export function demoBenefits(
  records: readonly JsonObject[],
  { today, partner }: DemoBenefitsOptions,
): DemoBenefits {
  const choices = createChoices(partner.organization.length);
  const pension = records.find(({ type, targetType }) => type === "Program" && targetType === "individual");
  const program = pension ? referenceOf(pension) : "";
  const start = `${today.slice(0, 7)}-01`;
  const cycle = {
    type: "Cycle",
    ext_id: choices.uuid(),
    program,
    name: `Pension ${today.slice(0, 7)}`,
    sequence: 1,
    start_date: start,
    end_date: lastDayOf(start),
    state: "approved",
  };
  const pensioners = records
    .filter(({ type, status }) => type === "ProgramMembership" && status === "enrolled")
    .filter((membership) => target(membership.program) === program)
    .map(({ beneficiary }) => target(beneficiary));
  const entitlements = states.flatMap((state, i) => {
    const beneficiary = pensioners[i];
    if (beneficiary === undefined) return [];
    const { ext_id: of, start_date: valid_from, end_date: valid_until } = cycle;
    const ext_id = choices.uuid();
    const own = { ext_id, ern: `ERN-DEMO-${i + 1}`, cycle: of, beneficiary, amount: { ...monthly } };
    return [{ type: "Entitlement", ...own, valid_from, valid_until, state }];
  });
  return {
    fund: { program, total },
    cycle,
    entitlements,
    consents: consents(records, { today, partner }, () => choices.uuid()),
  };
}

function consents(
  records: readonly JsonObject[],
  { today, partner }: DemoBenefitsOptions,
  newId: () => string,
): readonly JsonObject[] {
  const [whole, some, least, former] = records.filter(({ type }) => type === "Group");
  const given = (subject: string | undefined, more: JsonObject): readonly JsonObject[] => {
    if (subject === undefined) return [];
    const common = { type: "Consent", id: newId(), status: "given", subject: { reference: subject } };
    const dates = { effectiveDate: daysBefore(today, 90), collectionMethod: "written" };
    return [{ ...common, grantee: { organization: partner.organization }, ...dates, ...more }];
  };
  const only = (scope: JsonObject) => ({ scope: [{ resourceType: "Individual", ...scope }] });
  return [
    ...given(whole && referenceOf(whole), {
      scope: [{ resourceType: "all", fieldAccess: "all" }],
      purpose: "service_delivery",
    }),
    ...given(headOf(some), only({ fieldAccess: "custom", fields: ["name", "birthDate", "address"] })),
    ...given(headOf(least), {
      grantee: { organizationType: partner.organizationType },
      ...only({ fieldAccess: "basic" }),
    }),
    ...given(headOf(former), {
      status: "withdrawn",
      ...only({ fieldAccess: "all" }),
      revocation: { date: daysBefore(today, 10), by: "the person, at the office" },
    }),
  ];
}

/** A household's head is its first member. */
function headOf(group: JsonObject | undefined): string | undefined {
  const [first] = Array.isArray(group?.member) ? group.member : [];
  return isJsonObject(first) ? target(first.entity) : undefined;
}

function target(reference: JsonObject[string] | undefined): string {
  return isJsonObject(reference) ? String(reference.reference) : "";
}

function referenceOf({ type, identifier }: JsonObject): string {
  const [first] = Array.isArray(identifier) ? identifier : [];
  return isJsonObject(first) ? `${String(type)}/${String(first.system)}|${String(first.value)}` : "";
}

function lastDayOf(firstDay: string): string {
  const [year = 0, month = 0] = firstDay.split("-").map(Number);
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}
