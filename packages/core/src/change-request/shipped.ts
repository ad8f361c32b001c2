import { addFarmer } from "./add-farmer.ts";
import { createFarm } from "./create-farm.ts";
import { editFarmer } from "./edit-farmer.ts";
import { grantConsent } from "./grant-consent.ts";
import { reopenEnrollment } from "./reopen-enrollment.ts";
import type { ChangeRequestType } from "./types.ts";

/** The types of change request that every deployment has unless it declares its own: contract section 6. None is automatic. */
export const shippedChangeRequestTypes: readonly ChangeRequestType[] = [
  addFarmer,
  editFarmer,
  createFarm,
  grantConsent,
  reopenEnrollment,
];
