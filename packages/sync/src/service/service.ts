import { failure, identifiersOf, type JsonObject, type Outcome, success } from "@fieldroll/core";
import { settleWork } from "../device/commit.ts";
import { readState, stateDocument } from "../device/documents.ts";
import { canaryOf, startOver } from "../device/feed-state.ts";
import { hasUnsent } from "../device/outbox.ts";
import { parkedRecords } from "../device/parked.ts";
import { readStatus } from "../device/status.ts";
import { createEngine } from "../engine/engine.ts";
import { defaultPorts } from "../host.ts";
import { reconsider } from "../model/absorb.ts";
import type { HostPorts } from "../ports.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { FieldService, HeldRecord } from "../service-types.ts";
import { createApi } from "../transport/api.ts";
import { createSession } from "../transport/session.ts";
import { createTransport } from "../transport/transport.ts";
import type { SignIn } from "../types.ts";
import { decideParked, explainRecord } from "./decisions.ts";
import { householdBodies, type Identify, registered } from "./household.ts";
import { createNews } from "./news.ts";
import { storeProblem } from "./problems.ts";
import { createDeviceRegistry } from "./records.ts";

/**
 * Makes the worker side of a field client over a store: records that can be read and edited at once, and an engine that
 * reconciles them with the server. It starts by itself. Any number of services may share a store; one of them, the holder
 * of the lock, talks to the server.
 */
export function createFieldService(options: FieldServiceOptions): FieldService {
  const ports: HostPorts = { ...defaultPorts(), ...definedPorts(options) };
  const { store, feeds = ["all"], rules = {}, automatic = true } = options;
  const { clock, random, newId, timers, lock, connectivity, channel } = ports;
  const server = options.server.replace(/\/+$/, "");
  const transport = createTransport({
    fetch: ports.fetch,
    timers,
    timeout: options.requestTimeout ?? 30_000,
  });
  const tokenUrl = `${(options.authServer ?? new URL(server).origin).replace(/\/+$/, "")}/oauth2/token`;
  const session = createSession({ store, transport, clock, tokenUrl });
  const records = createDeviceRegistry({ store, newId, clock, rules });
  const status = () => readStatus(store, feeds, engine.state);
  const news = createNews({ readStatus: status, timers, newId });
  const engine = createEngine({
    store,
    clock,
    random,
    newId,
    timers,
    lock,
    api: createApi(server, session),
    session,
    feeds,
    automatic,
    pollInterval: options.pollInterval ?? 5 * 60_000,
    online: () => connectivity.online,
    changed: () => news.statusChanged(),
    landed: () => landed(),
    ran: () => channel.post({ kind: "ran" }),
  });
  const ends = [
    connectivity.subscribe((online) => engine.tell({ kind: "network", online })),
    channel.subscribe((message) => heard(message)),
  ];
  const started = start();

  async function start(): Promise<void> {
    await checkFeeds();
    await engine.start();
  }

  /** A device that is told to keep something else starts over: what it does not meet again goes. */
  async function checkFeeds(): Promise<void> {
    const found = await readState(store, "feeds");
    const wanted = JSON.stringify(feeds);
    if (found?.body === wanted) return;
    if (found) await startOver(store, feeds, await canaryOf(store, newId));
    await store.commit({ put: [stateDocument("feeds", found, wanted)] });
  }

  function landed(): void {
    news.recordsChanged();
    channel.post({ kind: "changed" });
  }

  function heard(message: JsonObject): void {
    if (message.kind === "changed") news.recordsChanged();
    if (message.kind === "ran") {
      engine.releaseWaiting();
      news.statusChanged();
    }
    if (message.kind === "poke") engine.tell({ kind: "woken", eager: message.eager === true });
    if (message.kind === "session") void sessionChanged();
  }

  async function sessionChanged(): Promise<void> {
    engine.tell({ kind: "session", session: (await session.current()) ? "valid" : "none" });
  }

  function wake(eager: boolean): void {
    engine.tell({ kind: "woken", eager });
    channel.post({ kind: "poke", eager });
  }

  /** Runs an edit: whatever the store refuses becomes a problem, and says that nothing was saved. */
  async function edited<T>(edit: (by: string) => Promise<Outcome<T>>): Promise<Outcome<T>> {
    try {
      const by = (await session.current())?.clientId ?? "device";
      const outcome = await edit(by);
      if (!engine.state.durable) engine.tell({ kind: "store", durable: true });
      if (outcome.ok) {
        landed();
        wake(false);
      }
      return outcome;
    } catch (error) {
      const problem = storeProblem(error);
      engine.tell({ kind: "store", durable: false });
      return failure(problem);
    }
  }

  const systems = {
    Individual: `urn:${rules.namespace ?? "service"}:registrant`,
    Group: `urn:${rules.namespace ?? "service"}:group`,
    ProgramMembership: `urn:${rules.namespace ?? "service"}:program-membership`,
  };
  const identify: Identify = (type, record) => {
    const own =
      identifiersOf(record).length > 0 ? {} : { identifier: [{ system: systems[type], value: newId() }] };
    return { ...record, type, ...own };
  };

  async function signIn(credentials: SignIn): Promise<Outcome<void>> {
    await started;
    const owner = await readState(store, "owner");
    const other = owner !== undefined && owner.body !== credentials.clientId;
    if (other && (await hasUnsent(store))) {
      const detail = `This device holds unsent edits of ${String(owner.body)}; sign in as ${String(owner.body)} and send them first.`;
      return failure({ kind: "invalid-state", detail });
    }
    const outcome = await session.signIn(credentials);
    if (outcome.kind === "refused") return failure({ kind: "authentication", detail: outcome.detail });
    if (outcome.kind === "later") return failure({ kind: "unavailable", detail: outcome.detail });
    if (other) await startOver(store, feeds, await canaryOf(store, newId));
    await store.commit({ put: [stateDocument("owner", owner, credentials.clientId)] });
    await sessionChanged();
    channel.post({ kind: "session" });
    return success(undefined);
  }

  async function signOut(): Promise<Outcome<void>> {
    if (await hasUnsent(store)) {
      const detail =
        "There are edits that the server has not got yet. Sync, and decide on what is parked, before signing out.";
      return failure({ kind: "invalid-state", detail });
    }
    await session.signOut();
    await sessionChanged();
    channel.post({ kind: "session" });
    return success(undefined);
  }

  return {
    read: (type, reference) => records.read(type, reference),
    search: (type, parameters) => records.search(type, parameters),
    create: (type, record) =>
      edited(async (by) => {
        const outcome = await records.create([identify(type, record)], by);
        return outcome.ok ? success(outcome.value[0] as HeldRecord) : outcome;
      }),
    edit: (type, reference, edit) =>
      edited(async (by) => {
        const outcome = await records.edit(type, reference, { ...edit, by });
        const found = outcome.ok ? await records.find(outcome.value.reference) : outcome;
        if (!found.ok) return found;
        const at = clock().toISOString();
        const looked = await settleWork(store, { ...found.value, at }, (entry, local) =>
          entry.parked?.reason === "conflict" ? reconsider(entry, local, at) : null,
        );
        return looked && outcome.ok ? records.read(type, outcome.value.reference) : outcome;
      }),
    registerHousehold: (household) =>
      edited(async (by) => {
        const { bodies, places } = householdBodies(household, identify, rules.namespace);
        return registered(await records.create(bodies, by), household.members.length, places);
      }),
    signIn,
    signOut,
    async sync() {
      await started;
      channel.post({ kind: "poke", eager: true });
      await engine.runNow();
      return status();
    },
    async poke() {
      engine.tell({ kind: "woken", eager: false });
    },
    status,
    parked: () => parkedRecords(store),
    resolve: (reference, resolution) =>
      edited(() => decideParked({ store, clock, find: records.find }, reference, resolution)),
    explain: (reference) => explainRecord({ store, find: records.find }, reference),
    subscribe: (listener) => news.subscribe(listener),
    async unsubscribe(subscription) {
      news.unsubscribe(subscription);
    },
    async close() {
      for (const end of ends) end();
      news.close();
      await started.catch(() => undefined);
      await engine.stop();
      await store.close();
    },
  };
}

/** Options that were given; an absent one must not hide a default. */
function definedPorts(options: Partial<HostPorts>): Partial<HostPorts> {
  const { fetch, clock, random, newId, timers, lock, connectivity, channel } = options;
  return {
    ...(fetch && { fetch }),
    ...(clock && { clock }),
    ...(random && { random }),
    ...(newId && { newId }),
    ...(timers && { timers }),
    ...(lock && { lock }),
    ...(connectivity && { connectivity }),
    ...(channel && { channel }),
  };
}
