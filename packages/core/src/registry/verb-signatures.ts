import type { CycleVerbs, EntitlementVerbs, ProgramDesk, RegistrantVerbs } from "../benefits/types.ts";
import type { ChangeRequestVerbs } from "../change-request/types.ts";
import type { ConsentVerbs } from "../consent/types.ts";
import type { GroupVerbs, Registry, RegistryView, Writable } from "./types.ts";
import {
  address,
  anything,
  auditQuery,
  details,
  entries,
  extId,
  feedRequest,
  id,
  options,
  parameters,
  reference,
  request,
  type Signatures,
  state,
} from "./verb-arguments.ts";

/** What each verb of a registry is called with: a verb that is not here can't be called. */

export const recordSignatures: Signatures<Writable<unknown>> = {
  read: [address, options],
  disclose: [address, options],
  history: [address, request],
  search: [parameters],
  create: [anything, options],
  replace: [address, anything, options],
  patch: [address, anything, options],
};

export const groupSignatures: Signatures<GroupVerbs<unknown>> = {
  ...recordSignatures,
  addMember: [address, anything, options],
  removeMember: [address, anything, options],
  merge: [anything, options],
  split: [address, anything, options],
};

export const consentSignatures: Signatures<ConsentVerbs> = {
  read: [id],
  grant: [anything, options],
  revoke: [id, options],
  revokeOnce: [id, options],
  remove: [id, options],
  move: [id, state, details],
  ofSubject: [reference],
};

export const registrantSignatures: Signatures<RegistrantVerbs> = {
  list: [request],
  read: [extId],
  create: [anything, options],
  replace: [extId, anything, options],
};

export const programDeskSignatures: Signatures<ProgramDesk> = {
  list: [request],
  read: [extId],
  disclose: [extId],
  enroll: [extId, anything, options],
  setFund: [extId, anything],
  fund: [extId],
};

export const cycleSignatures: Signatures<CycleVerbs> = {
  list: [extId, request],
  read: [extId],
  create: [anything],
  move: [extId, state],
};

export const entitlementSignatures: Signatures<EntitlementVerbs> = {
  list: [request],
  read: [extId],
  disclose: [extId],
  create: [anything],
  approve: [extId, options],
  move: [extId, state],
};

export const changeRequestSignatures: Signatures<ChangeRequestVerbs> = {
  submit: [anything, options],
  read: [extId],
  disclose: [extId],
  approve: [extId, options],
  reject: [extId, details, options],
  apply: [extId, options],
  list: [request],
  replace: [extId, anything, options],
  submitDraft: [extId, options],
  revise: [extId, details, options],
  copy: [extId],
  restore: [anything],
};

export const viewSignatures: Signatures<Pick<RegistryView, "transaction" | "changes" | "batch">> = {
  transaction: [entries, options],
  changes: [feedRequest],
  batch: [anything, options],
};

export const trailSignatures: Signatures<Pick<Registry, "audit">> = { audit: [auditQuery] };
