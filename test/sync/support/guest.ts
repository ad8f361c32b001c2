import type { Individual, RegistryView } from "@fieldroll/core";
import type { Fetch } from "@fieldroll/sync";
import { ok, system } from "./people.ts";
import { createWorld, type DeviceOptions, partner, restoredFrom, type World } from "./world.ts";

const hour = 3_600_000;

/** What a consent shows; `null` for none. */
export type Scope = { readonly fieldAccess: string; readonly fields?: readonly string[] } | null;
export const everything: Scope = { fieldAccess: "all" };
export const custom = (...fields: string[]): Scope => ({ fieldAccess: "custom", fields });

/** Requests that write get no answer but that the server is busy, while `is.busy`. */
export function whileBusy(is: { busy: boolean }, inner: (send: Fetch) => Fetch = (send) => send) {
  return (send: Fetch): Fetch => {
    const next = inner(send);
    return async (url, init) =>
      is.busy && init.method !== "GET" && !url.includes("oauth2")
        ? new Response("busy", { status: 503 })
        : next(url, init);
  };
}

/** A registry with Ana, and the tablet of a partner, who sees of her what consents show. */
export async function createGuest({
  record = {},
  shows = everything,
  ...options
}: DeviceOptions & { readonly record?: object; readonly shows?: Scope } = {}) {
  const world = await createWorld();
  const first = { identifier: [{ system, value: "ANA" }], ...record } as Pick<Individual, "identifier">;
  await ok(
    world.view.individuals.create({ type: "Individual", name: { family: "Cruz" }, ...first } as Individual),
  );
  const [{ system: space, value } = { system, value: "" }] = first.identifier;
  const ana = `Individual/${space}|${value}`;
  let given: string | undefined;
  /** Shows so much of her from now on. */
  const show = async (scope: Scope, at: World = world, reference = ana) => {
    const terms = { subject: { reference }, grantee: { organization: "Aid" } };
    const scopes = [{ resourceType: "Individual", ...scope }];
    const next = scope && (await ok(at.view.consents.grant({ ...terms, scope: scopes } as Terms))).id;
    if (given) await ok(at.view.consents.revoke(given));
    given = next ?? undefined;
  };
  await show(shows);
  const device = world.device("a", options);
  const { client } = device;
  await ok(client.signIn(partner));
  await client.sync();
  return {
    ...{ world, device, client, ana, show },
    edit: (change: (draft: Individual) => void) => ok(client.individuals.update(ana, change)),
    there: (at: World = world) => ok(at.view.individuals.read(`${space}|${value}`)),
    office: (patch: object) => ok(world.view.individuals.patch(`${space}|${value}`, patch, { ifMatch: "*" })),
    /** Syncs so often, so many hours apart. */
    sync: async (times = 1, hours = 5) => {
      for (let run = 0; run < times; run++) {
        world.pass(hours * hour);
        await client.sync();
      }
    },
    waits: () => {
      const { pending, sending, parked } = client.status.current;
      return pending + sending + parked;
    },
    /** All that is handed out of her, and of what waits for a person. */
    said: async () => JSON.stringify([await client.individuals.read(ana), await client.parked()]),
  };
}

type Terms = Parameters<RegistryView["consents"]["grant"]>[0];

type Guest = Awaited<ReturnType<typeof createGuest>>;

/** The server as a backup has it, and what consents show there. */
export async function restoredAs(
  { world, show, client, sync }: Guest,
  backup: World["medium"],
  shows: Parameters<Guest["show"]>[0],
) {
  const now = await restoredFrom(backup);
  now.pass(100 * 3_600_000);
  await show(shows, now);
  world.moveTo(now);
  await ok(client.signIn(partner));
  await sync(2);
  return now;
}
