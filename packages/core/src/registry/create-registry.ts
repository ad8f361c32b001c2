import { forgetOldEntries } from "../audit/forgetting.ts";
import { auditTrail } from "../audit/trail.ts";
import { benefitVerbs } from "../benefits/benefit-verbs.ts";
import { changeRequestVerbs } from "../change-request/change-request-verbs.ts";
import { consentVerbs } from "../consent/consent-verbs.ts";
import { governance } from "../consent/governance.ts";
import { performBatch } from "./batch/perform-batch.ts";
import { planInSteps } from "./batch/plan-in-steps.ts";
import { readChanges } from "./feed/changes.ts";
import { checkFeedName } from "./feed/feed-names.ts";
import { groupVerbs } from "./groups/group-verbs.ts";
import { createTurns, type Turns } from "./groups/turns.ts";
import { recordView } from "./record-view.ts";
import { requireScope } from "./scopes.ts";
import { type Settings, settingsOf } from "./settings.ts";
import { epochOf, secretOf } from "./system-documents.ts";
import type { Caller, RecordRegistry, Registry, RegistryConfig, RegistryView } from "./types.ts";
import { forgetOldAnswers } from "./write/idempotency.ts";
import { judgeMerged } from "./write/judge-merged.ts";
import { write } from "./write/write.ts";

/**
 * Makes a registry over a store: the rules of the specification, without a network. It keeps no state besides the
 * store's, so several registries may share one.
 *
 * @throws TypeError where `store`, `clock` or `newId` is missing or of another kind
 *
 * @example
 * const registry = createRegistry({ store: createMemoryStore(), clock: () => new Date(), newId: uuidv7 });
 * const view = registry.as(operator);
 * const created = await view.individuals.create({ type: "Individual", identifier: [...], name: { family: "Reyes" } });
 */
export function createRegistry(config: RegistryConfig): Registry {
  refuseWrongConfig(config);
  const settings = settingsOf(config, governance);
  const turns = createTurns();
  return {
    as: (caller) => viewFor(settings, caller, turns),
    facts: {
      namespace: settings.namespace,
      programs: settings.programs,
      extensions: config.extensions ?? [],
      ...(config.changeRequestTypes && { changeRequestTypes: config.changeRequestTypes }),
      withoutConsent: settings.policies.withoutConsent,
    },
    epoch: () => epochOf(settings),
    secret: (name) => secretOf(settings, name),
    forgetOldAnswers: () => forgetOldAnswers(settings),
    forgetOldEntries: () => forgetOldEntries(settings),
    audit: (query = {}) => auditTrail(settings, query),
  };
}

const neededOptions = [
  ["store", "a store, such as createMemoryStore()"],
  ["clock", "a function that tells the present instant, such as () => new Date()"],
  ["newId", "a function that gives a new UUIDv7, such as v7 of the package uuid"],
] as const;

/** What plain JavaScript left out would fail with the first record, far from here. */
function refuseWrongConfig(config: Partial<RegistryConfig> | undefined): void {
  const wrong = neededOptions.filter(([name]) => {
    const value = config?.[name];
    return name === "store" ? typeof value !== "object" || value === null : typeof value !== "function";
  });
  if (wrong.length === 0) return;
  const needed = wrong.map(([name, what]) => `${name} must be ${what}`).join("; ");
  throw new TypeError(`createRegistry: ${needed}.`);
}

/**
 * Makes the part of a registry that knows records only: what a device runs, and the smaller for it.
 */
export function createRecordRegistry(config: RegistryConfig): RecordRegistry {
  const settings = settingsOf(config);
  // Whoever runs it holds the store itself: consents bind those who ask a server.
  return {
    as: (caller) => recordView(settings, { legalBasis: "contract", ...caller }),
    judge: (merged) => judgeMerged(settings, merged),
  };
}

/** Made anew for each request, so that only what it uses is made. */
function viewFor(settings: Settings, caller: Caller, turns: Turns): RegistryView {
  const records = recordView(settings, caller);
  const benefits = () => benefitVerbs(settings, caller, records);
  const view: RegistryView = {
    get individuals() {
      return records.individuals;
    },
    get groups() {
      return groupVerbs(settings, caller, { records, turns });
    },
    get programs() {
      return records.programs;
    },
    get memberships() {
      return records.memberships;
    },
    get consents() {
      return consentVerbs(settings, caller);
    },
    get registrants() {
      return benefits().registrants;
    },
    get programDesk() {
      return benefits().programDesk;
    },
    get cycles() {
      return benefits().cycles;
    },
    get entitlements() {
      return benefits().entitlements;
    },
    get changeRequests() {
      return changeRequestVerbs(settings, caller, (over) => viewFor(over, caller, turns));
    },
    transaction: (entries, options = {}) => write(settings, caller, { entries, options, plan: planInSteps }),
    changes: async (request) => {
      const allowed = requireScope(caller, "registry:read");
      const named = allowed.ok ? checkFeedName(settings, request.feed) : allowed;
      if (!named.ok) return named;
      return readChanges(settings, caller, { ...request, epoch: await epochOf(settings) });
    },
    batch: (bundle, options = {}) => performBatch({ settings, caller, view, options }, bundle),
  };
  return view;
}
