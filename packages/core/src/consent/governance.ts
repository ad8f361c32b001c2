import { recordHistory } from "../audit/record-history.ts";
import { tellRead } from "../audit/tell-read.ts";
import { withFunds } from "../benefits/fund-change.ts";
import { boundPage } from "../registry/feed/bound-page.ts";
import type { Governance } from "../registry/governance.ts";
import { findRecord } from "../registry/record/find-record.ts";
import { auditPart } from "../registry/write/audit-part.ts";
import { unseenBeneficiary } from "../registry/write/enroll-sight.ts";
import { unseenGroup } from "../registry/write/member-sight.ts";
import { judgeHouseholds } from "../registry/write/one-household.ts";
import { misstatedIn } from "../registry/write/precondition.ts";
import { tellMembers } from "../registry/write/tell-members.ts";
import { widenedSight } from "../registry/write/widened-sight.ts";
import { isKnownMember } from "../resource/known-members.ts";
import { nearestInRecord } from "../resource/nearest-name.ts";
import { sightByConsents } from "./consent-sight.ts";
import { coveredRecords } from "./covered-records.ts";

/** Consents and the audit trail, as a server's registry has them: all of it that keeps no count of its own. */
export const governance: Omit<Governance, "duplicates"> = {
  find: findRecord,
  sight: sightByConsents,
  covered: coveredRecords,
  refusal: async (settings, caller, write) =>
    (await unseenBeneficiary(settings, caller, write)) ??
    unseenGroup(settings, write) ??
    widenedSight(settings, caller, write),
  households: judgeHouseholds,
  withFunds,
  isKnown: isKnownMember,
  misstated: misstatedIn,
  explain: nearestInRecord,
  auditPart,
  tellMembers,
  tellRead,
  boundPage,
  history: recordHistory,
};
