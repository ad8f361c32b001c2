import type { Outcome, RegistryView, Store } from "@fieldroll/core";
import type { Refuse } from "./import.ts";
import type { RecordLine } from "./import-lines.ts";
import { faultOf } from "./import-records.ts";

/** Where an import goes. */
export interface Destination {
  readonly view: RegistryView;
  readonly store: Store;
}

/**
 * Writes what stands beside records: consents, cycles, entitlements and change requests, each by itself.
 *
 * @returns how many lines are in the registry now
 */
export async function writeRelated(
  destination: Destination,
  lines: readonly RecordLine[],
  refuse: Refuse,
): Promise<number> {
  let imported = 0;
  for (const line of lines) {
    const outcome = await writeOne(destination, line);
    if (outcome.ok) imported += 1;
    else refuse(line.line, faultOf(outcome.problem));
  }
  return imported;
}

async function writeOne({ view }: Destination, { type, record }: RecordLine): Promise<Outcome<unknown>> {
  if (type === "Consent") return view.consents.grant(record, { trusted: record });
  if (type === "ChangeRequest") {
    const { type: _, ...copy } = record;
    return view.changeRequests.restore(copy);
  }
  return type === "Cycle" ? view.cycles.create(record) : view.entitlements.create(record);
}
