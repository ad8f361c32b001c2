import {
  canonicalReference,
  identifiersOf,
  type JsonObject,
  type Outcome,
  operator,
  parseReference,
} from "@fieldroll/core";
import type { DemoBenefits } from "@fieldroll/core/demo";
import type { Destination } from "./load-records.ts";

/**
 * Adds consents, a fund, a cycle and entitlements to the demonstration's records, where those are whole. What is there stays as
 * it is, also when it has changed since; what no longer fits is left out.
 *
 * @param records as they were loaded
 */
export async function loadDemoBenefits(
  { registry, store }: Destination,
  records: readonly JsonObject[],
  benefits: DemoBenefits,
): Promise<void> {
  const view = registry.as(operator);
  const ends = [records[0], records.at(-1)].flatMap((record) => (record ? claimOf(record) : []));
  const found = await store.resolve(ends);
  if (found.some((at) => at === undefined)) return;
  await setFund({ registry, store }, benefits.fund);
  const each: readonly (() => Promise<Outcome<unknown>>)[] = [
    () => view.cycles.create(benefits.cycle),
    ...benefits.entitlements.map((entitlement) => () => view.entitlements.create(entitlement)),
    ...benefits.consents.map((consent) => () => view.consents.grant(consent, { trusted: consent })),
  ];
  for (const load of each) await load();
}

async function setFund(
  { registry, store }: Destination,
  { program, total }: DemoBenefits["fund"],
): Promise<void> {
  const parsed = parseReference(program);
  if (!parsed.ok) return;
  const [at] = await store.resolve([canonicalReference("Program", parsed.value)]);
  const desk = registry.as(operator).programDesk;
  const fund = await desk.fund(at?.key ?? "");
  if (fund.ok && fund.value === null) await desk.setFund(at?.key ?? "", total);
}

function claimOf(record: JsonObject): readonly string[] {
  const [identifier] = identifiersOf(record);
  return identifier ? [canonicalReference(record.type as "Program", identifier)] : [];
}
