import type { Outcome } from "../problem.ts";
import type { Disclosure, Page, WriteOptions } from "../registry/types.ts";

/** Words of the registry-style endpoints: contract section 6. */
export const registrantGenders = ["male", "female", "unknown", "not_applicable"] as const;
export type RegistrantGender = (typeof registrantGenders)[number];

/** A person in the registry-style view. */
export interface Registrant {
  readonly ext_id: string;
  readonly model: string;
  readonly name: string | null;
  readonly birthdate: string | null;
  readonly gender: RegistrantGender | null;
}

/** A program in the registry-style view; `null` is what is not told, or is none of the caller's own `fields`. */
export interface ProgramSummary {
  readonly ext_id: string;
  readonly model: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly status: string | null;
  readonly start_date: string | null;
  readonly end_date: string | null;
}

export interface EnrollmentSummary {
  readonly ext_id: string;
  readonly model: string;
  readonly registrant_ext_id: string;
  readonly registrant_model: string;
  readonly program_ext_id: string;
  readonly program_model: string;
  readonly status: string;
  readonly enrollment_date: string | null;
}

export const cycleStates = ["draft", "to_approve", "approved", "distributed", "ended", "cancelled"] as const;
export type CycleState = (typeof cycleStates)[number];

export interface Cycle {
  readonly ext_id: string;
  readonly model: string;
  readonly program_ext_id: string;
  readonly program_model: string;
  readonly name: string;
  readonly sequence: number;
  readonly start_date: string;
  readonly end_date: string;
  readonly state: CycleState;
}

export const entitlementStates = [
  "draft",
  "pending_validation",
  "approved",
  "rejected",
  "transferred",
  "redeemed",
  "cancelled",
  "expired",
] as const;
export type EntitlementState = (typeof entitlementStates)[number];

/** An exact amount: a decimal string such as `"5000.00"`, and an ISO 4217 code. Never a float. */
export interface Money {
  readonly value: string;
  readonly currency: string;
}

export interface Entitlement {
  readonly ext_id: string;
  readonly model: string;
  readonly program_ext_id: string;
  readonly program_model: string;
  readonly cycle_ext_id: string;
  readonly cycle_model: string;
  readonly registrant_ext_id: string;
  readonly registrant_model: string;
  readonly amount: Money;
  readonly valid_from: string | null;
  readonly valid_until: string | null;
  readonly state: EntitlementState;
  readonly approved_at: string | null;
  /** Entitlement reference number. */
  readonly ern: string;
}

/** A page of a list: `limit` 1–500, default 20. */
export interface ListRequest {
  readonly limit?: string;
  readonly cursor?: string;
}

/** A page of entitlements, of those that meet every condition given. */
export interface EntitlementListRequest extends ListRequest {
  readonly program_ext_id?: string;
  readonly cycle_ext_id?: string;
  readonly registrant_ext_id?: string;
  /** A state, or several separated by commas. */
  readonly state?: string;
}

/** The registry-style view of the same records: specification, "Registry-style endpoints". */
export interface RegistrantVerbs {
  list(request?: ListRequest): Promise<Outcome<Page<Registrant>>>;
  /** `versionId` is empty, and nothing of the person is shown, where no consent in force shows anything. */
  read(
    extId: string,
  ): Promise<
    Outcome<{ readonly record: Registrant; readonly versionId: string; readonly disclosure: Disclosure }>
  >;
  create(
    body: unknown,
    options?: WriteOptions,
  ): Promise<
    Outcome<{ readonly record: Registrant; readonly versionId: string; readonly replayed: boolean }>
  >;
  replace(
    extId: string,
    body: unknown,
    options?: WriteOptions,
  ): Promise<
    Outcome<{ readonly record: Registrant; readonly versionId: string; readonly replayed: boolean }>
  >;
}

export interface ProgramDesk {
  list(request?: ListRequest): Promise<Outcome<Page<ProgramSummary>>>;
  read(extId: string): Promise<Outcome<ProgramSummary>>;
  /** As {@link ProgramDesk.read}, with the Program's version and the right under which it is shown. */
  disclose(
    extId: string,
  ): Promise<
    Outcome<{ readonly record: ProgramSummary; readonly versionId: string; readonly disclosure: Disclosure }>
  >;
  enroll(
    extId: string,
    body: unknown,
    options?: WriteOptions,
  ): Promise<
    Outcome<{ readonly record: EnrollmentSummary; readonly versionId: string; readonly replayed: boolean }>
  >;
  /** The money a program may still spend; in process, by the command line and by seed data only. */
  setFund(extId: string, fund: Money): Promise<Outcome<Money>>;
  fund(extId: string): Promise<Outcome<{ readonly total: Money; readonly committed: Money } | null>>;
}

export interface CycleVerbs {
  list(programExtId: string, request?: ListRequest): Promise<Outcome<Page<Cycle>>>;
  read(extId: string): Promise<Outcome<Cycle>>;
  /** In process: `{ext_id?, program: "Program/…" | program_ext_id, name, sequence, start_date, end_date, state}`; the same `ext_id` again changes nothing. */
  create(body: unknown): Promise<Outcome<Cycle>>;
  move(extId: string, to: CycleState): Promise<Outcome<Cycle>>;
}

export interface EntitlementVerbs {
  list(request?: EntitlementListRequest): Promise<Outcome<Page<Entitlement>>>;
  read(extId: string): Promise<Outcome<Entitlement>>;
  /** As {@link EntitlementVerbs.read}, with the version. */
  disclose(extId: string): Promise<Outcome<{ readonly record: Entitlement; readonly versionId: string }>>;
  /** In process: `{ext_id?, ern?, cycle, beneficiary: "Individual/…", amount, valid_from, valid_until, state}`. */
  create(body: unknown): Promise<Outcome<Entitlement>>;
  /**
   * pending_validation → approved, as far as the fund goes. `invalid-state` where the cycle is cancelled or the last day is over. Honours
   * `ifMatch` when it is given.
   */
  approve(
    extId: string,
    options?: WriteOptions,
  ): Promise<
    Outcome<{ readonly record: Entitlement; readonly versionId: string; readonly replayed: boolean }>
  >;
  move(extId: string, to: EntitlementState): Promise<Outcome<Entitlement>>;
}

/** Everything the registry-style endpoints show: contract section 6. */
export interface BenefitVerbs {
  readonly registrants: RegistrantVerbs;
  readonly programDesk: ProgramDesk;
  readonly cycles: CycleVerbs;
  readonly entitlements: EntitlementVerbs;
}
