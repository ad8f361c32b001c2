import type { JsonObject } from "../json.ts";
import type { Outcome } from "../problem.ts";
import type { Meta, Reference } from "../resource/common.ts";

/** States of a consent: contract section 2. */
export const consentStatuses = [
  "requested",
  "given",
  "refused",
  "withdrawn",
  "expired",
  "renewed",
  "invalidated",
] as const;

export type ConsentStatus = (typeof consentStatuses)[number];

/** What a person allows to be shown of one type of resource. */
export interface ConsentScope {
  readonly resourceType: "Individual" | "Group" | "ProgramMembership" | "all";
  readonly fieldAccess: "all" | "basic" | "custom";
  /** With `custom`: top-level members, or one dotted level (`name.family`). */
  readonly fields?: readonly string[];
  /** Extensions by name; none is shown without being listed, also under `all`. */
  readonly extensions?: readonly string[];
}

/** Who may see: one organization, or every organization of a type. */
export interface Grantee {
  readonly organization?: string;
  readonly organizationType?: string;
}

/** What a consent says, as it is granted: contract section 2, "Consent". */
export interface ConsentTerms {
  readonly subject: Reference;
  readonly grantee: Grantee;
  readonly scope: readonly ConsentScope[];
  readonly purpose?: string;
  readonly legalBasis?: string;
  /** YYYY-MM-DD; default today. */
  readonly effectiveDate?: string;
  /** YYYY-MM-DD, its last day. */
  readonly expiryDate?: string;
  readonly collectionMethod?: string;
  readonly evidence?: string;
}

/** A consent as the service shows one. */
export interface Consent extends ConsentTerms {
  readonly id: string;
  readonly type: "Consent";
  /** As it is today: a consent whose last day is over reads `expired`. */
  readonly status: ConsentStatus;
  readonly revocation?: { readonly date: string; readonly by: string; readonly reason?: string };
  readonly meta: Meta;
}

/** What a caller may do with consents. */
export interface ConsentVerbs {
  read(id: string): Promise<Outcome<Consent>>;
  /** Records that a consent was given. `id` (a UUID) and `status` let an import keep what they were. */
  grant(terms: unknown, options?: ConsentOptions): Promise<Outcome<Consent>>;
  /** given or renewed → withdrawn; again is `invalid-state`. */
  revoke(id: string, options?: { readonly reason?: string } & ConsentOptions): Promise<Outcome<Consent>>;
  /** As {@link revoke}, and says whether the answer is that to an earlier request with the same idempotency key. */
  revokeOnce(
    id: string,
    options?: { readonly reason?: string } & ConsentOptions,
  ): Promise<Outcome<{ readonly record: Consent; readonly replayed: boolean }>>;
  /**
   * As {@link revoke}, and the evidence is erased: also of one that has expired or was withdrawn before, which stays what it is. Fails with
   * `authorization` for a restricted caller.
   */
  remove(id: string, options?: ConsentOptions): Promise<Outcome<void>>;
  /** Any other move of the state machine, such as requested → given or expired → renewed (with a new last day). */
  move(
    id: string,
    to: ConsentStatus,
    details?: { readonly reason?: string; readonly expiryDate?: string },
  ): Promise<Outcome<Consent>>;
  /** Every consent of a subject, for an export or a screen. In process only. */
  ofSubject(reference: string): Promise<Outcome<readonly Consent[]>>;
}

export interface ConsentOptions {
  readonly idempotency?: { readonly key: string; readonly fingerprint: string };
  /** The UUID it gets, when its maker has one already. Default: a new one. */
  readonly id?: string;
  /** The terms come from a trusted copy of the register: `id`, `status`, `revocation`, `meta` are kept as given. */
  readonly trusted?: JsonObject;
}
