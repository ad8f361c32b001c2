import { benefitVerbs } from "../benefits/benefit-verbs.ts";
import { changeRequestVerbs } from "../change-request/change-request-verbs.ts";
import { consentVerbs } from "../consent/consent-verbs.ts";
import { isListOf, isText, type OptionRule, refuseWrongOptions } from "../wrong-options.ts";
import { performBatch } from "./batch/perform-batch.ts";
import { planInSteps } from "./batch/plan-in-steps.ts";
import { readChanges } from "./feed/changes.ts";
import { checkFeedName } from "./feed/feed-names.ts";
import { groupVerbs } from "./groups/group-verbs.ts";
import type { Turns } from "./groups/turns.ts";
import { recordView } from "./record-view.ts";
import { requireScope } from "./scopes.ts";
import type { Settings } from "./settings.ts";
import { epochOf } from "./system-documents.ts";
import type { Caller, RegistryView } from "./types.ts";
import { checkedVerbs } from "./verb-arguments.ts";
import {
  changeRequestSignatures,
  consentSignatures,
  cycleSignatures,
  entitlementSignatures,
  groupSignatures,
  programDeskSignatures,
  recordSignatures,
  registrantSignatures,
  viewSignatures,
} from "./verb-signatures.ts";
import { write } from "./write/write.ts";

const callerRules: Readonly<Record<string, OptionRule>> = {
  clientId: [isText, "the id of a client, as text"],
  scopes: [
    (given) => isListOf(given, isText),
    'a list of scopes, such as ["registry:read"]; the caller operator has all',
  ],
  fields: [(given = []) => isListOf(given, isText), "a list of the only fields it may see, or left out"],
};

/** @throws TypeError for what is no caller: each verb would fail, or take the letters of a text for scopes */
export function refuseWrongCaller(caller: unknown): void {
  refuseWrongOptions("registry.as", caller, callerRules);
}

/** Made anew for each request, so that only what it uses is made. */
export function viewFor(settings: Settings, caller: Caller, turns: Turns): RegistryView {
  const records = recordView(settings, caller);
  const benefits = () => benefitVerbs(settings, caller, records);
  const across = () =>
    checkedVerbs<Pick<RegistryView, "transaction" | "changes" | "batch">>(
      {
        transaction: (entries, options = {}) =>
          write(settings, caller, { entries, options, plan: planInSteps }),
        changes: async (request) => {
          const allowed = requireScope(caller, "registry:read");
          const named = allowed.ok ? checkFeedName(settings, request.feed) : allowed;
          if (!named.ok) return named;
          return readChanges(settings, caller, { ...request, epoch: await epochOf(settings) });
        },
        batch: (bundle, options = {}) => performBatch({ settings, caller, view, options }, bundle),
      },
      viewSignatures,
    );
  const view: RegistryView = {
    get individuals() {
      return checkedVerbs(records.individuals, recordSignatures);
    },
    get groups() {
      return checkedVerbs(groupVerbs(settings, caller, { records, turns }), groupSignatures);
    },
    get programs() {
      return checkedVerbs(records.programs, recordSignatures);
    },
    get memberships() {
      return checkedVerbs(records.memberships, recordSignatures);
    },
    get consents() {
      return checkedVerbs(consentVerbs(settings, caller), consentSignatures);
    },
    get registrants() {
      return checkedVerbs(benefits().registrants, registrantSignatures);
    },
    get programDesk() {
      return checkedVerbs(benefits().programDesk, programDeskSignatures);
    },
    get cycles() {
      return checkedVerbs(benefits().cycles, cycleSignatures);
    },
    get entitlements() {
      return checkedVerbs(benefits().entitlements, entitlementSignatures);
    },
    get changeRequests() {
      const verbs = changeRequestVerbs(settings, caller, (over) => viewFor(over, caller, turns));
      return checkedVerbs(verbs, changeRequestSignatures);
    },
    get transaction() {
      return across().transaction;
    },
    get changes() {
      return across().changes;
    },
    get batch() {
      return across().batch;
    },
  };
  return view;
}
