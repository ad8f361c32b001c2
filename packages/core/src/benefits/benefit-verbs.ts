import { notYet } from "../registry/not-yet.ts";
import type { Settings } from "../registry/settings.ts";
import type { Caller, RecordView } from "../registry/types.ts";
import type { BenefitVerbs } from "./types.ts";

/** The registry-style view of the same records, for one caller. */
export function benefitVerbs(_settings: Settings, _caller: Caller, _records: RecordView): BenefitVerbs {
  return {
    registrants: { list: notYet, read: notYet, create: notYet, replace: notYet },
    programDesk: { list: notYet, read: notYet, enroll: notYet, setFund: notYet, fund: notYet },
    cycles: { list: notYet, read: notYet, create: notYet, move: notYet },
    entitlements: { list: notYet, read: notYet, create: notYet, approve: notYet, move: notYet },
  };
}
