import { type Page, type RegistryView, rawReference, unwrap } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import type { ConsentWatch } from "./consents.ts";
import type { SimulatedDevice } from "./device.ts";
import type { SimulatedServer } from "./server.ts";

/** I6 and I12: a tablet shows what its feeds tell, and nothing else. */
export async function checkConvergence({
  devices,
  server,
  consents,
}: {
  readonly devices: readonly SimulatedDevice[];
  readonly server: SimulatedServer;
  readonly consents: ConsentWatch;
}): Promise<readonly string[]> {
  const violations: string[] = [];
  for (const device of devices) {
    const view = consents.viewFor(device);
    const feedsTell = await Promise.all(device.feeds.map((feed) => told(view, feed)));
    const expected = new Map(feedsTell.flatMap((tellings) => [...tellings]));
    const shown = device.client ? await shownBy(device.client) : new Map<string, unknown>();
    const part = comparedOn(device, consents);
    for (const reference of new Set([...expected.keys(), ...shown.keys()])) {
      const own = canonical(part(shown.get(reference)));
      const theirs = canonical(part(expected.get(reference)));
      if (own === theirs || (theirs === "nothing" && !wasTold(device, { server, consents, reference })))
        continue;
      const rule = expected.has(reference) ? "I6" : "I12";
      violations.push(`${rule}: of ${reference}, ${device.name} shows ${own}, and its feeds tell ${theirs}`);
    }
  }
  return violations;
}

/**
 * Whether a tablet's feeds have ever told of a record: what was made on it outside its area, or of somebody who consents to
 * nothing, is never told to it. Nor is it told again what had left them before it was changed from there, as the double of
 * somebody that was registered anew.
 */
function wasTold(
  device: SimulatedDevice,
  {
    server: { medium, ledger },
    consents,
    reference,
  }: { readonly server: SimulatedServer; readonly consents: ConsentWatch; readonly reference: string },
): boolean {
  const key = medium.claims.get(rawReference(reference))?.key;
  if (consents.binds(device)) return key !== undefined && consents.wasTold(key);
  const lines = ledger.filter((line) => line.key === key);
  const last = lines.findLastIndex(({ feeds }) => feeds.some((feed) => device.feeds.includes(feed)));
  // The line after the last one that they tell of is the one that they tell as a removal.
  if (lines.slice(last + 2).some(({ by }) => device.people.includes(by))) return false;
  return device.feeds.some((feed) =>
    [...(medium.feeds.get(feed)?.rows.values() ?? [])].some((row) => row.key === key),
  );
}

/** What a feed tells now, from its beginning. */
async function told(view: RegistryView, feed: string): Promise<ReadonlyMap<string, unknown>> {
  const found = new Map<string, unknown>();
  for (let cursor: string | undefined, more = true; more; ) {
    const page = unwrap(await view.changes({ feed, limit: 200, ...(cursor !== undefined && { cursor }) }));
    for (const { change, reference, record } of page.data)
      if (change === "upsert") found.set(reference, record);
    cursor = page.nextCursor;
    more = page.hasMore;
  }
  return found;
}

async function shownBy(client: NonNullable<SimulatedDevice["client"]>): Promise<Map<string, unknown>> {
  const shown = new Map<string, unknown>();
  for (const records of [client.individuals, client.groups, client.programs, client.memberships]) {
    for (let cursor: string | undefined, more = true; more; ) {
      const asked = { limit: "200", ...(cursor !== undefined && { cursor }) };
      const page = unwrap<Page<Held<unknown>>>(await records.search(asked));
      for (const { reference, record } of page.data) shown.set(reference, record);
      cursor = page.nextCursor;
      more = page.hasMore;
    }
  }
  return shown;
}

function comparedOn(device: SimulatedDevice, consents: ConsentWatch): (record: unknown) => unknown {
  return device.feeds.includes("all") && !consents.binds(device) ? (record) => record : withoutGroups;
}

/** Who may not see the groups, or has not all of them, derives other ones than the server does: no version tells of what is derived. */
function withoutGroups(record: unknown): unknown {
  if (typeof record !== "object" || record === null) return record;
  const { groupMembership: _, ...rest } = record as Readonly<Record<string, unknown>>;
  return rest;
}

function canonical(value: unknown): string {
  const text = JSON.stringify(value, (name, each: unknown) =>
    name === "groupMembership"
      ? (each as readonly unknown[]).map(canonical).toSorted()
      : typeof each === "object" && each !== null && !Array.isArray(each)
        ? Object.fromEntries(Object.entries(each).toSorted(([a], [b]) => (a < b ? -1 : 1)))
        : each,
  );
  return text ?? "nothing";
}
