import type { Json, JsonObject, MemoryMedium } from "@fieldroll/core";
import { type Promised, tokensIn } from "./arrived.ts";
import type { SimulatedDevice } from "./device.ts";

function outboxOf(medium: MemoryMedium): ReadonlyMap<string, JsonObject> {
  const found = medium.collections.get("outbox") ?? new Map();
  return new Map([...found].map(([key, { body }]) => [key, body as JsonObject]));
}

/** What a tablet keeps of what was done on it, as text: unsent, sealed, or to be given to the server again. */
export function keptOn({ medium }: SimulatedDevice): string {
  const bodies = (name: string) =>
    [...(medium.collections.get(name)?.values() ?? [])].map(({ body }) => body);
  const unsent = ["outbox", "sealed"].flatMap(bodies).map(unsentIn);
  const accepted = ["accepted", "accepted-sealed"].flatMap(bodies).flatMap(doneIn);
  return [...unsent, ...accepted].join("\n");
}

/** What is to be sent: not what it stands on, nor what others made of it. */
function unsentIn(body: Json): string {
  const { entry = body } = body as { readonly entry?: JsonObject };
  const { edits, request, comesTo } = entry as JsonObject;
  return JSON.stringify([edits, (request as JsonObject | null)?.body, comesTo]);
}

/** The tokens that accepted requests brought: what was there before them is not theirs to give again. */
function doneIn(accepted: Json): readonly string[] {
  return (
    accepted as unknown as readonly { readonly before: JsonObject | null; readonly after: JsonObject }[]
  )
    .flatMap(({ before, after }) => {
      const known = new Set(tokensIn(before ?? {}));
      return tokensIn(after).filter((token) => !known.has(token));
    })
    .map((token) => `"${token}"`);
}

/** Who made an edit that is not sent yet; nobody yet where nobody has ever signed in. */
export function makerOf(medium: MemoryMedium, token: string): string | undefined {
  const edits = [...outboxOf(medium).values()].flatMap(
    (entry) => entry.edits as unknown as readonly { readonly by: string; readonly patch: JsonObject }[],
  );
  const by = edits.find(({ patch }) => tokensIn(patch).includes(token))?.by;
  return by === "device" ? undefined : by;
}

/** I7: nothing is left to be sent, by whomever. */
export function checkSent({ name, medium }: SimulatedDevice, violations: string[]): void {
  const sealed = medium.collections.get("sealed")?.keys() ?? [];
  const left = [...outboxOf(medium).keys(), ...sealed];
  if (left.length > 0) violations.push(`I7: ${name} still has ${left.join(", ")} to send`);
}

/** I12: the outbox holds work of the one whose tablet it is, and of nobody else. */
export function checkOwner({ name, medium }: SimulatedDevice, violations: string[]): void {
  const owner = medium.collections.get("sync")?.get("owner")?.body;
  for (const [id, { edits }] of outboxOf(medium)) {
    for (const { by } of edits as unknown as readonly { readonly by: string }[]) {
      if (by !== owner && by !== "device" && by !== "")
        violations.push(`I12: ${id} on ${name} has work of ${by}, and the tablet is ${String(owner)}'s`);
    }
  }
}

/** I10: nothing that was done on a tablet and not sent is hidden by what came since. */
export function checkViews(
  { name, medium }: SimulatedDevice,
  {
    tokens,
    told,
    violations,
    isBound,
  }: {
    readonly tokens: ReadonlyMap<string, Promised>;
    readonly told: ReadonlySet<string>;
    readonly violations: string[];
    readonly isBound: boolean;
  },
): void {
  // What arrived may be hidden from who did it, when a consent ends; what is over is no work of this tablet any more.
  const mayBeHidden = (token: string) => {
    const { line = null, over = null } = tokens.get(token) ?? {};
    return over !== null || (isBound && line !== null);
  };
  for (const [id, entry] of outboxOf(medium)) {
    const { type, key, edits } = entry as unknown as {
      readonly type: string;
      readonly key: string;
      readonly edits: readonly { readonly by: string; readonly patch: JsonObject }[];
    };
    const body = medium.collections.get(type)?.get(key)?.body as { readonly record: JsonObject } | undefined;
    if (!body) violations.push(`I10: ${name} has work on ${id} and no record of it`);
    const shown = new Set(tokensIn(body?.record ?? {}));
    const waiting = new Set(doneIn(medium.collections.get("accepted")?.get(id)?.body ?? []));
    // What was done to the same list before stands in an edit too: what others did is theirs to give again, and what has arrived is done,
    // or waits for being done again.
    const isOwn = (token: string, by: string, isLast: boolean) => {
      const known = tokens.get(token);
      if (!known) return !told.has(token);
      if (!isLast && (known.line !== null || waiting.has(`"${token}"`))) return false;
      return (known.by ?? by) === by && (known.device === name || (known.line === null && !known.returns));
    };
    const own = edits.flatMap(({ by, patch }) => {
      const list = tokensIn(patch);
      return list.filter((token) => isOwn(token, by, token === list.at(-1)));
    });
    const hidden = own.filter((token) => !shown.has(token) && !mayBeHidden(token));
    if (hidden.length > 0) violations.push(`I10: ${name} does not show ${hidden.join(", ")} of ${id}`);
  }
}
