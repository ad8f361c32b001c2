import { forgetOldEntries } from "../audit/forgetting.ts";
import { auditTrail } from "../audit/trail.ts";
import { governance } from "../consent/governance.ts";
import {
  checkedClock,
  checkedIds,
  isListOf,
  type OptionRule,
  optional,
  optionRules,
  refuseWrongOptions,
} from "../wrong-options.ts";
import { refuseWrongCaller, viewFor } from "./caller-view.ts";
import { refuseUnboundedLists } from "./declared-lists.ts";
import { createTurns } from "./groups/turns.ts";
import { recordView } from "./record-view.ts";
import { settingsOf } from "./settings.ts";
import { epochOf, secretOf } from "./system-documents.ts";
import type { RecordRegistry, Registry, RegistryConfig } from "./types.ts";
import { checkedVerbs } from "./verb-arguments.ts";
import { trailSignatures } from "./verb-signatures.ts";
import { forgetOldAnswers } from "./write/idempotency.ts";
import { judgeMerged } from "./write/judge-merged.ts";
import { restrictedMembers } from "./write/permission.ts";
import { countRefusedDuplicates } from "./write/refused-duplicates.ts";

/**
 * Makes a registry over a store: the rules of the specification, without a network. It keeps no state besides the
 * store's, so several registries may share one.
 *
 * @throws TypeError where `store`, `clock` or `newId` is missing or of another kind, or a declared schema has a list without a maximum; its `as`, for what is no {@link Caller}, and
 *   whatever uses a clock or ids that are none
 *
 * @example
 * const registry = createRegistry({ store: createMemoryStore(), clock: () => new Date(), newId: uuidv7 });
 * const view = registry.as(operator);
 * const created = await view.individuals.create({ type: "Individual", identifier: [...], name: { family: "Reyes" } });
 */
export function createRegistry(config: RegistryConfig): Registry {
  refuseWrongOptions("createRegistry", config, optionRules);
  refuseWrongOptions("createRegistry", config.policies, policyRules);
  refuseUnboundedLists(config);
  const settings = settingsOf(withCheckedPorts(config), {
    ...governance,
    duplicates: countRefusedDuplicates(),
  });
  const turns = createTurns();
  const trail = { audit: (query = {}) => auditTrail(settings, query) } satisfies Pick<Registry, "audit">;
  return {
    ...checkedVerbs(trail, trailSignatures),
    as(caller, { budget } = {}) {
      refuseWrongCaller(caller);
      return viewFor(budget ? { ...settings, budget } : settings, caller, turns);
    },
    facts: {
      namespace: settings.namespace,
      programs: settings.programs,
      extensions: config.extensions ?? [],
      ...(config.changeRequestTypes && { changeRequestTypes: config.changeRequestTypes }),
      withoutConsent: settings.policies.withoutConsent,
      oneHousehold: settings.policies.oneHousehold,
    },
    epoch: () => epochOf(settings),
    secret: (name) => secretOf(settings, name),
    forgetOldAnswers: () => forgetOldAnswers(settings),
    forgetOldEntries: () => forgetOldEntries(settings),
  };
}

const policyRules: Readonly<Record<string, OptionRule>> = {
  restrictedWrites: optional([
    (given) => isListOf(given, (item) => restrictedMembers.some((member) => member === item)),
    `a list of ${restrictedMembers.join(" and ")}, such as ["active"], or left out`,
  ]),
  refusedDuplicates: optional([
    (given) => Number.isSafeInteger(given) && Number(given) > 0,
    "a whole number from 1 on, or left out",
  ]),
  oneHousehold: optional([(given) => typeof given === "boolean", "true or false, or left out"]),
};

function withCheckedPorts(config: RegistryConfig): RegistryConfig {
  const call = "createRegistry";
  return { ...config, clock: checkedClock(call, config.clock), newId: checkedIds(call, config.newId) };
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
