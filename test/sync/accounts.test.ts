import { createMemoryStore, type Store } from "@fieldroll/core";
import { createFieldClient, type FieldClient, type ParkedRecord, processLock } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { writesIn } from "./support/bundles.ts";
import { ok } from "./support/people.ts";
import { gate, turns } from "./support/timers.ts";
import {
  createWorld,
  credentials,
  type Device,
  type DeviceOptions,
  root,
  type World,
} from "./support/world.ts";

const system = "urn:test:national";
const ana = `Individual/${system}|ANA`;
const ben = `Individual/${system}|BEN`;
const other = { ...credentials, clientId: "other" };

const rename = (client: FieldClient, reference: string, family: string) =>
  ok(
    client.individuals.update(reference, (draft) => {
      draft.name.family = family;
    }),
  );

/** Everything that a client shows, as one text to search. */
async function shown(client: FieldClient): Promise<string> {
  const found = await Promise.all([
    client.individuals.search({ limit: "100" }),
    client.groups.search({ limit: "100" }),
    client.memberships.search({ limit: "100" }),
    client.parked(),
    client.explain(ana),
  ]);
  return JSON.stringify([...found, client.status.current]);
}

describe("several people on one tablet", () => {
  let world: World;
  let device: Device;
  let refusing: boolean;
  let silent: boolean;
  /** What writes wait for before they arrive. */
  let held: { readonly before: Promise<void>; readonly reached: () => void } | null;
  /** Writes as they left: whose token, key and bytes. */
  let writes: { by: string; key: string; body: string }[];

  const watched: DeviceOptions["network"] = (send) => async (url, init) => {
    const sent = writesIn(url, init);
    if (sent.length === 0) return send(url, init);
    held?.reached();
    await held?.before;
    const by = senderOf(init.headers.authorization ?? "");
    writes.push(...sent.map(({ key, body }) => ({ by, key, body })));
    if (refusing) return refusal();
    const answer = await send(url, init);
    if (silent) throw new TypeError("connection reset");
    return answer;
  };

  const serverName = async (reference: string) =>
    (await ok(world.view.individuals.read(reference.slice("Individual/".length)))).name;

  /** Keys of the writes that had an effect. */
  const arrived = () => world.effects.filter((key) => key !== "");

  beforeEach(async () => {
    refusing = false;
    silent = false;
    held = null;
    writes = [];
    world = await createWorld();
    for (const value of ["ANA", "BEN"]) {
      const identifier = [{ system, value }];
      await ok(
        world.view.individuals.create({
          type: "Individual",
          identifier,
          name: { family: "Cruz", given: value },
        }),
      );
    }
    device = world.device("tablet", { network: watched });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
  });

  /** Edits one record and registers a household, offline. */
  async function workOffline(): Promise<void> {
    device.online = false;
    await rename(device.client, ana, "Secret");
    await ok(
      device.client.registerHousehold({
        group: { active: true, groupType: "household", name: "Secret household" },
        members: [{ individual: { active: true, name: { family: "Secret", given: "Jo" } }, role: "head" }],
      }),
    );
    device.online = true;
  }

  it("says how many records are unsent, seals them when told to, and gives them back to nobody else", async () => {
    await workOffline();
    const refused = await device.client.signOut();
    expect(refused).toMatchObject({ ok: false, problem: { kind: "invalid-state" } });
    expect(JSON.stringify(refused)).toContain("3 records have edits");
    expect(await ok(device.client.signOut({ unsent: "seal" }))).toEqual({ sealed: 3 });
    expect(await shown(device.client)).not.toContain("Secret");
    expect(await device.client.sync()).toMatchObject({ signedInAs: null, pending: 0, sending: 0, parked: 0 });

    expect(await ok(device.client.signIn(other))).toEqual({ restored: 0, sealed: 0 });
    expect(await device.client.sync()).toMatchObject({ signedInAs: "other", pending: 0 });
    expect(await shown(device.client)).not.toContain("Secret");
    await rename(device.client, ben, "Santos");
    await device.client.sync();
    expect(writes.map(({ by }) => by)).toEqual(["other"]);
    await ok(device.client.signOut());

    expect(await ok(device.client.signIn(credentials))).toEqual({ restored: 3, sealed: 0 });
    expect((await ok(device.client.individuals.read(ana))).record.name.family).toBe("Secret");
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0, lastError: null });
    expect(writes.map(({ by }) => by)).toEqual(["other", ...Array(writes.length - 1).fill("tablet")]);
    expect(arrived()).toHaveLength(4);
    expect(await serverName(ana)).toMatchObject({ family: "Secret" });
    expect((await ok(world.view.groups.search())).data).toMatchObject([{ name: "Secret household" }]);
    expect((await ok(device.client.individuals.search({ limit: "50" }))).data).toHaveLength(3);
  });

  it("says of an edit of what is sealed that nobody is signed in, as of any other", async () => {
    await workOffline();
    await ok(device.client.signOut({ unsent: "seal" }));
    const { individuals } = device.client;
    const detail = "Nothing was saved: nobody is signed in on this device. Sign in and repeat it.";
    const refused = { ok: false, problem: { kind: "authentication", detail } };
    expect(await individuals.update(ana, () => {})).toEqual(refused);
    const seen = (await ok(individuals.read(ben))).record;
    expect(await individuals.update(ana, () => {}, { seen })).toEqual(refused);
    expect(await individuals.create({ name: { family: "Reyes" } })).toEqual(refused);
  });

  it("keeps the records when the same person comes back, and asks for what changed only", async () => {
    await workOffline();
    await ok(device.client.signOut({ unsent: "seal" }));
    expect((await ok(device.client.individuals.search())).data).toHaveLength(1);
    expect(await ok(device.client.signIn(credentials))).toEqual({ restored: 3, sealed: 0 });
    expect((await ok(device.client.individuals.search())).data).toHaveLength(3);
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0, firstSync: { records: 2 } });
    expect(await serverName(ana)).toMatchObject({ family: "Secret" });
  });

  it("sends a frozen request again with its bytes and its key", async () => {
    silent = true;
    await rename(device.client, ana, "Secret");
    await device.client.sync();
    await rename(device.client, ana, "Later");
    silent = false;
    await ok(device.client.signOut({ unsent: "seal" }));
    await ok(device.client.signIn(other));
    await device.client.sync();
    await ok(device.client.signIn(credentials));
    expect(await ok(device.client.individuals.read(ana))).toMatchObject({ state: "sending" });
    const before = writes.length;
    await device.client.sync();
    expect(writes[before]).toEqual(writes[0]);
    expect(await serverName(ana)).toMatchObject({ family: "Later" });
    expect(arrived()).toHaveLength(2);
  });

  it("brings parked records back parked, with what was to be decided", async () => {
    refusing = true;
    await rename(device.client, ana, "Secret");
    await device.client.sync();
    const [before] = await device.client.parked();
    await ok(device.client.signOut({ unsent: "seal" }));
    expect(await device.client.parked()).toEqual([]);
    refusing = false;
    await ok(device.client.signIn(other));
    await device.client.sync();
    await ok(device.client.signIn(credentials));
    expect(await device.client.sync()).toMatchObject({ parked: 1, pending: 0 });
    const [after] = await device.client.parked();
    const content = ({ revision: _revision, ...rest }: ParkedRecord) => rest;
    expect(after && content(after)).toEqual(before && content(before));
    await ok(device.client.resolve(ana, { kind: "retry" }));
    expect(await device.client.sync()).toMatchObject({ parked: 0, pending: 0 });
    expect(await serverName(ana)).toMatchObject({ family: "Secret" });
  });

  it("lets another sign in over unsent edits, also those of an expired sign-in, and seals them", async () => {
    await workOffline();
    expect(await ok(device.client.signIn(other))).toEqual({ restored: 0, sealed: 3 });
    expect(await device.client.sync()).toMatchObject({ signedInAs: "other", pending: 0 });
    expect(await shown(device.client)).not.toContain("Secret");
    expect(await ok(device.client.signIn(credentials))).toEqual({ restored: 3, sealed: 0 });
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect(new Set(writes.map(({ by }) => by))).toEqual(new Set(["tablet"]));
  });

  it("keeps two people's unsent edits of one record apart, through a restart, and merges them in the end", async () => {
    device.online = false;
    await rename(device.client, ana, "Secret");
    await ok(device.client.signOut({ unsent: "seal" }));
    device.online = true;
    await ok(device.client.signIn(other));
    await device.client.sync();
    device.online = false;
    await ok(
      device.client.individuals.update(ana, (draft) => {
        draft.name.given = "Anita";
      }),
    );
    await ok(device.client.signOut({ unsent: "seal" }));
    device.online = true;
    const restarted = device.kill();
    await ok(restarted.signIn(credentials));
    expect((await ok(restarted.individuals.read(ana))).record.name).toMatchObject({
      family: "Secret",
      given: "ANA",
    });
    await restarted.sync();
    expect(await ok(restarted.signIn(other))).toEqual({ restored: 1, sealed: 0 });
    expect(await restarted.sync()).toMatchObject({ pending: 0, parked: 0 });
    expect(await serverName(ana)).toMatchObject({ family: "Secret", given: "Anita" });
  });

  it("sends nothing under another's name that was under way when the other signed in", async () => {
    await workOffline();
    const [before, reached] = [gate(), gate()];
    held = { before: before.opened, reached: reached.open };
    const running = device.client.sync();
    await reached.opened;
    held = null;
    expect(await ok(device.client.signIn(other))).toMatchObject({ sealed: 3 });
    before.open();
    await running;
    await device.client.sync();
    expect(new Set(writes.map(({ by }) => by))).toEqual(new Set(["tablet"]));
    expect(device.client.status.current).toMatchObject({ signedInAs: "other", pending: 0, sending: 0 });
    await ok(device.client.signIn(credentials));
    expect(await device.client.sync()).toMatchObject({ pending: 0, sending: 0, parked: 0 });
    expect(arrived()).toHaveLength(3);
    expect(new Set(writes.map(({ by }) => by))).toEqual(new Set(["tablet"]));
  });

  it("refuses an edit of a tab that slept while somebody else signed in", async () => {
    let wake: () => void = () => undefined;
    const asleep = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const store = createMemoryStore({ medium: device.medium });
    const commit: Store["commit"] = async (writes) => {
      await asleep;
      return store.commit(writes);
    };
    const tab = tabOver(world, { ...storeCalls(store), commit });
    const edit = tab.individuals.create({ active: true, name: { family: "Secret" } });
    await turns(world.busy);
    await ok(device.client.signIn(other));
    wake();
    expect(await edit).toMatchObject({ ok: false, problem: { kind: "authentication" } });
    await device.client.sync();
    expect(await shown(device.client)).not.toContain("Secret");
    expect(writes).toEqual([]);
  });

  it("asks for a sign-in before an edit that would be nobody's", async () => {
    await ok(device.client.signOut());
    // At once, though a status was told just before.
    expect(device.client.status.current).toMatchObject({ signedInAs: null, phase: "signed-out" });
    expect(
      await device.client.individuals.create({ active: true, name: { family: "Nobody" } }),
    ).toMatchObject({
      ok: false,
      problem: { kind: "authentication", detail: expect.stringContaining("nobody is signed in") },
    });
    await ok(device.client.signIn(other));
    expect(device.client.status.current).toMatchObject({ signedInAs: other.clientId });
  });

  it("drops what left the person's records while their edits were sealed, once these have arrived", async () => {
    await workOffline();
    await ok(device.client.signOut({ unsent: "seal" }));
    await ok(device.client.signIn(other));
    await device.client.sync();
    await ok(world.view.individuals.patch(`${system}|ANA`, { active: false }, { ifMatch: "*" }));
    await ok(device.client.signIn(credentials));
    expect(await device.client.sync()).toMatchObject({ pending: 0, parked: 1 });
    expect(await device.client.parked()).toMatchObject([
      { reason: "gone", ours: { name: { family: "Secret" } } },
    ]);
  });
});

/** A second tab over the store of a tablet. */
function tabOver(world: World, store: Store): FieldClient {
  const timers = { set: () => () => undefined };
  const { send: fetch, now: clock } = world;
  return createFieldClient({
    server: root,
    store,
    fetch,
    clock,
    timers,
    automatic: false,
    lock: processLock(),
  });
}

/** The calls of a store, to replace some of them. */
function storeCalls(store: Store): Store {
  return {
    get: (keys) => store.get(keys),
    resolve: (claims) => store.resolve(claims),
    query: (query) => store.query(query),
    changes: (request) => store.changes(request),
    commit: (commit) => store.commit(commit),
    close: () => store.close(),
  };
}

/** The person whose token a request carries. */
function senderOf(authorization: string): string {
  const claims = Buffer.from(authorization.split(".")[1] ?? "", "base64url").toString();
  return String(JSON.parse(claims).sub);
}

function refusal() {
  const body = { type: "urn:service:error:authorization", status: 403, detail: "Ask your supervisor." };
  return new Response(JSON.stringify(body), {
    status: 403,
    headers: { "content-type": "application/problem+json" },
  });
}
