import { failure, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Commit } from "../store/port.ts";
import { cycleCollection } from "./cycle-document.ts";
import { loadCycle } from "./cycles.ts";
import type { StoredEntitlement } from "./entitlement-document.ts";

/**
 * Refuses with `invalid-state` to approve what is not paid any more: its cycle is cancelled, or its last day is over. The value
 * expects the cycle as it was found, so that it is not cancelled in the meantime.
 */
export async function checkApprovable(
  settings: Settings,
  { cycle: cycleKey, valid_until: last }: StoredEntitlement["body"],
): Promise<Outcome<Pick<Commit, "expect">>> {
  if (last !== null && last < settings.today()) {
    return refusal(`The entitlement was valid until ${last}. Have one made with later days.`);
  }
  const cycle = await loadCycle(settings, cycleKey);
  if (!cycle) return success({});
  if (cycle.body.state === "cancelled") {
    return refusal("The entitlement's cycle is cancelled. Have one made in another cycle.");
  }
  const { key, version } = cycle;
  return success({ expect: [{ kind: "version", collection: cycleCollection, key, version }] });
}

function refusal(detail: string): Outcome<never> {
  return failure({ kind: "invalid-state", detail });
}
