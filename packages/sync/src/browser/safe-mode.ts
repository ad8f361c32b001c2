import { failure, type Problem } from "@fieldroll/core";
import { unknownStatus } from "../client/unknown-status.ts";
import { softwareVersion } from "../diagnostics.ts";
import { tellEach } from "../listeners.ts";
import type { SafeModeCause } from "../safe-mode-cause.ts";
import type { FieldService, ServiceNews } from "../service-types.ts";
import type { SyncStatus } from "../status-types.ts";

/**
 * A service for a device whose store can't be opened: it reads nothing, refuses every edit at once and says why,
 * so that nobody works on what would be lost (docs/architecture.md).
 */
export function safeModeService(cause: SafeModeCause, detail: string): FieldService {
  const problem: Problem = { kind: "unavailable", detail };
  const refuse = async () => failure(problem);
  const status: SyncStatus = {
    ...unknownStatus,
    phase: "safe-mode",
    safeMode: cause,
    lastError: detail,
  };
  const { signedInAs: _nobody, lastError: _detail, ...figures } = status;
  const nothing = async () => undefined;
  return {
    read: refuse,
    search: refuse,
    create: refuse,
    edit: refuse,
    registerHousehold: refuse,
    findSimilar: refuse,
    signIn: refuse,
    signOut: refuse,
    sync: async () => status,
    poke: nothing,
    pause: nothing,
    status: async () => status,
    parked: async () => [],
    unsent: async () => [],
    resolve: refuse,
    explain: refuse,
    exportUnsent: refuse,
    importUnsent: refuse,
    diagnostics: async () => ({
      format: 1,
      software: softwareVersion,
      madeAt: null,
      status: { ...figures, networkProblem: null, signedIn: false, failing: true },
      ...{ engine: null, feeds: [], documents: {}, entries: [], entriesLeftOut: 0 },
    }),
    async subscribe(listener) {
      const news: ServiceNews = { status, changes: 0 };
      tellEach([listener], news);
      return "safe-mode";
    },
    unsubscribe: nothing,
    close: nothing,
  };
}
