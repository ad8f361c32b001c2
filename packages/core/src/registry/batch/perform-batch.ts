import { failure, invalid, type Outcome, type Problem, success } from "../../problem.ts";
import { printReference } from "../../resource/reference.ts";
import type { BatchContext, KeyedRequest, Plan } from "./context.ts";
import { type EntryRequest, readEntry } from "./entry-request.ts";
import { targetOf } from "./entry-url.ts";
import { givenIdentifiers } from "./given-identifiers.ts";
import { type Bundle, type BundleEntry, parseBundle } from "./parse-bundle.ts";
import { performEach } from "./perform-each.ts";
import { performTogether } from "./perform-together.ts";
import { followPlaceholders, isPlaceholder } from "./placeholders.ts";
import type { BatchAnswer } from "./types.ts";

/**
 * Performs a bundle of requests: contract section 5, `$batch`. A fault of the bundle's form, or a placeholder that nothing
 * declares, refuses the whole of it, with every such fault; all else is a matter of single entries.
 */
export async function performBatch(context: BatchContext, bundle: unknown): Promise<Outcome<BatchAnswer>> {
  const parsed = parseBundle(bundle);
  if (!parsed.ok) return parsed;
  const { type } = parsed.value;
  const planned = planOf(context, parsed.value);
  if (!planned.ok) return planned;
  return type === "transaction"
    ? performTogether(context, planned.value)
    : performEach(context, planned.value);
}

function planOf({ settings: { namespace, newId } }: BatchContext, { type, entries }: Bundle): Outcome<Plan> {
  const { faults, order, refers, resolved } = followPlaceholders(entries);
  if (faults.length > 0) return failure(invalid(faults));
  const requests: Outcome<EntryRequest>[] = [];
  const names = new Map<number, string>();
  const request: Plan["request"] = (place, written) => {
    const entry = resolved(place, (target) => written.get(target) ?? names.get(target));
    return entry && readEntry(entry);
  };
  for (const place of order) {
    const read = request(place, names) ?? failure(nothingThere);
    // Within one commit nobody waits for the server to give an identifier.
    const named =
      type === "transaction" && isPlaceholder(entries[place]?.fullUrl) ? keyed(read, newId) : read;
    requests[place] = named;
    const name = named.ok ? nameOfRecord(named.value, namespace) : undefined;
    if (name !== undefined) names.set(place, name);
  }
  const skews = new Map(
    entries.flatMap(({ clockSkew }, place) => (clockSkew === undefined ? [] : [[place, clockSkew] as const])),
  );
  return success({ requests, order, request, refers, keyed: new Map(entries.flatMap(keyedRequest)), skews });
}

function keyedRequest(entry: BundleEntry, place: number): readonly (readonly [number, KeyedRequest])[] {
  const { idempotencyKey: key, method, url, resource = null } = entry;
  if (key === undefined) return [];
  return [[place, { key, method, target: targetOf(url), body: JSON.stringify(resource) }]];
}

function keyed(request: Outcome<EntryRequest>, newId: () => string): Outcome<EntryRequest> {
  if (!request.ok || request.value.does !== "create" || request.value.type !== "ProgramMembership")
    return request;
  return success({ ...request.value, key: newId() });
}

/** The reference of what an entry writes or reads. An enrollment that gets its identifier from the server has none yet. */
function nameOfRecord(request: EntryRequest, namespace: string): string | undefined {
  if (request.does === "search" || request.does === "readConsent") return undefined;
  const [own] = "body" in request ? givenIdentifiers(request, namespace) : [];
  if (own) return printReference(request.type, own);
  return "address" in request && request.address ? printReference(request.type, request.address) : undefined;
}

const nothingThere: Problem = { kind: "internal", detail: "The entry was not understood." };
