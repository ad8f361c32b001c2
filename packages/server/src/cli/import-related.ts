import {
  canonicalReference,
  identifiersOf,
  type Outcome,
  type RegistryView,
  type Store,
  success,
} from "@fieldroll/core";
import type { Refuse } from "./import.ts";
import type { RecordLine } from "./import-lines.ts";
import { faultOf } from "./import-records.ts";

/** Where an import goes. */
export interface Destination {
  readonly view: RegistryView;
  readonly store: Store;
}

/**
 * Writes what stands beside records: programs' funds, consents, cycles, entitlements and change requests, each by itself.
 *
 * @param lines.records lines whose records are written already
 * @returns how many lines are in the registry now, whole
 */
export async function writeRelated(
  destination: Destination,
  lines: { readonly records: readonly RecordLine[]; readonly others: readonly RecordLine[] },
  refuse: Refuse,
): Promise<number> {
  let imported = 0;
  for (const line of lines.records) {
    imported += count(
      line,
      line.fund === undefined ? success(null) : await setFund(destination, line),
      refuse,
    );
  }
  for (const line of lines.others) imported += count(line, await writeOne(destination, line), refuse);
  return imported;
}

function count({ line }: RecordLine, outcome: Outcome<unknown>, refuse: Refuse): number {
  if (outcome.ok) return 1;
  refuse(line, faultOf(outcome.problem));
  return 0;
}

async function setFund(
  { view, store }: Destination,
  { record, fund }: RecordLine,
): Promise<Outcome<unknown>> {
  const [identifier] = identifiersOf(record);
  const claims = identifier ? [canonicalReference("Program", identifier)] : [];
  const [program] = await store.resolve(claims);
  const set = await view.programDesk.setFund(program?.key ?? "", fund as never);
  if (set.ok || !set.problem.errors) return set;
  const errors = set.problem.errors.map((error) => ({ ...error, field: `/fund${error.field}` }));
  return { ok: false, problem: { ...set.problem, errors } };
}

async function writeOne({ view }: Destination, { type, record }: RecordLine): Promise<Outcome<unknown>> {
  if (type === "Consent") return view.consents.grant(record, { trusted: record });
  if (type === "ChangeRequest") {
    const { type: _, ...copy } = record;
    return view.changeRequests.restore(copy);
  }
  return type === "Cycle" ? view.cycles.create(record) : view.entitlements.create(record);
}
