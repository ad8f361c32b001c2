import type { RegistryStyleOperation } from "../route-table.ts";
import type { RegistryStyleFunction } from "./answers.ts";
import {
  applyChangeRequest,
  approveChangeRequest,
  listChangeRequests,
  readChangeRequest,
  rejectChangeRequest,
  replaceChangeRequest,
  reviseChangeRequest,
  submitChangeRequest,
  submitDraft,
} from "./change-request-operations.ts";
import {
  approveEntitlement,
  enroll,
  listCycles,
  listEntitlements,
  listPrograms,
  readEntitlement,
  readProgram,
} from "./program-operations.ts";
import {
  createRegistrant,
  listRegistrants,
  readRegistrant,
  replaceRegistrant,
} from "./registrant-operations.ts";

/** Every operation of the registry-style half: contract section 6. */
export const registryStyleOperations: Readonly<Record<RegistryStyleOperation, RegistryStyleFunction>> = {
  listRegistrants,
  readRegistrant,
  createRegistrant,
  replaceRegistrant,
  listPrograms,
  readProgram,
  enroll,
  listCycles,
  listEntitlements,
  readEntitlement,
  approveEntitlement,
  listChangeRequests,
  submitChangeRequest,
  readChangeRequest,
  replaceChangeRequest,
  submitDraft,
  reviseChangeRequest,
  approveChangeRequest,
  rejectChangeRequest,
  applyChangeRequest,
};
