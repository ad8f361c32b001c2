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
    registrants: registrantVerbs(settings, caller, records),
    programDesk: programDesk(settings, caller, records),
    cycles: cycleVerbs(settings, caller),
    entitlements: entitlementVerbs(settings, caller),
  };
}
