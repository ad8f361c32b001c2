import { failure, invalid, type Outcome, success } from "../../problem.ts";
import type { BatchContext, Plan } from "./context.ts";
import { readEntry } from "./entry-request.ts";
import { type BundleEntry, parseBundle } from "./parse-bundle.ts";
import { performEach } from "./perform-each.ts";
import { performTogether } from "./perform-together.ts";
import { followPlaceholders } from "./placeholders.ts";
import type { BatchAnswer } from "./types.ts";

/**
 * Performs a bundle of requests: contract section 5, `$batch`. A fault of the bundle's form, or a placeholder that nothing
 * declares, refuses the whole of it, with every such fault; all else is a matter of single entries.
 */
export async function performBatch(context: BatchContext, bundle: unknown): Promise<Outcome<BatchAnswer>> {
  const parsed = parseBundle(bundle);
  if (!parsed.ok) return parsed;
  const { type, entries } = parsed.value;
  const planned = planOf(entries);
  if (!planned.ok) return planned;
  return type === "transaction"
    ? performTogether(context, planned.value)
    : performEach(context, planned.value);
}

function planOf(entries: readonly BundleEntry[]): Outcome<Plan> {
  const asked = entries.map(readEntry).map((request) => (request.ok ? request.value : undefined));
  const { faults, order, entries: resolved } = followPlaceholders(entries, asked);
  if (faults.length > 0) return failure(invalid(faults));
  return success({ requests: resolved.map(readEntry), order });
}
