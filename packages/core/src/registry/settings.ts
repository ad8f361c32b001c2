import { createSchemas, type Schemas } from "../resource/schemas.ts";
import type { Store } from "../store/port.ts";
import { type Budget, unlimited } from "./budget.ts";
import { areaFeeds } from "./feed/feeds.ts";
import type { Governance } from "./governance.ts";
import type { Policies } from "./policies.ts";
import type { RegistryConfig } from "./types.ts";
import { nextMeta } from "./write/stamp.ts";

/** A registry's configuration with every default filled in. */
export interface Settings {
  readonly config: RegistryConfig;
  readonly store: Store;
  readonly newId: () => string;
  readonly namespace: string;
  readonly schemas: Schemas;
  readonly programs: boolean;
  readonly policies: Required<Policies>;
  /** Consents and the audit trail; a device has neither. */
  readonly governance?: Governance;
  /** What the reads of one view may cost. */
  readonly budget: Budget;
  /** The present instant: UTC, ISO 8601 with milliseconds. */
  now(): string;
  /** The present date in UTC, YYYY-MM-DD. */
  today(): string;
}

export function settingsOf(config: RegistryConfig, governance?: Governance): Settings {
  const namespace = config.namespace ?? "service";
  const now = () => config.clock().toISOString();
  const today = () => now().slice(0, 10);
  const { vocabularies, extensions } = config;
  return {
    config,
    ...(governance && { governance }),
    store: config.store,
    budget: unlimited,
    newId: config.newId,
    namespace,
    schemas: createSchemas({
      today,
      namespace,
      ...(vocabularies && { vocabularies }),
      ...(extensions && { extensions }),
      ...(governance && { explain: governance.explain }),
    }),
    programs: config.capabilities?.programs ?? true,
    policies: {
      feeds: areaFeeds,
      stamp: nextMeta(namespace),
      journal: async () => ({}),
      follow: true,
      withoutConsent: "hide",
      restrictedWrites: [],
      refusedDuplicates: 20,
      oneHousehold: false,
      extensions: "requested",
      audit: true,
      faults: "all",
      ...config.policies,
    },
    now,
    today,
  };
}
