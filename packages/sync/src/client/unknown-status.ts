import type { SyncStatus } from "../status-types.ts";

/** What is known before the service has said anything. */
export const unknownStatus: SyncStatus = {
  phase: "stopped",
  safeMode: null,
  signedInAs: null,
  scopes: null,
  needsSignIn: false,
  pending: 0,
  sending: 0,
  parked: 0,
  photos: 0,
  awaitingConsent: { records: 0, oldestAt: null },
  firstSync: { complete: false, records: 0, rate: null },
  lastSuccessAt: null,
  nextAttemptAt: null,
  oldestPendingAt: null,
  lastError: null,
  networkProblem: null,
  clockSkew: null,
  clockHeardAt: null,
};
