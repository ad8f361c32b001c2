import type { Settings } from "../registry/settings.ts";
import type { Caller, RecordView } from "../registry/types.ts";
import { cycleVerbs } from "./cycles.ts";
import { entitlementVerbs } from "./entitlements.ts";
import { programDesk } from "./program-desk.ts";
import { registrantVerbs } from "./registrants.ts";
import type { BenefitVerbs } from "./types.ts";

/** The registry-style view of the same records, for one caller. */
export function benefitVerbs(settings: Settings, caller: Caller, records: RecordView): BenefitVerbs {
  return {
    get registrants() {
      return registrantVerbs(settings, caller, records);
    },
    get programDesk() {
      return programDesk(settings, caller, records);
    },
    get cycles() {
      return cycleVerbs(settings, caller);
    },
    get entitlements() {
      return entitlementVerbs(settings, caller);
    },
  };
}
