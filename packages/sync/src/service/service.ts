import { deviceFacts } from "../device/facts.ts";
import { storeOf } from "../device/journal.ts";
import { parkedRecords, unsentRecords } from "../device/parked.ts";
import { similarPeople } from "../device/similar.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { FieldService } from "../service-types.ts";
import { signIn, signOut } from "./accounts.ts";
import { decideParked, explainRecord } from "./decisions.ts";
import { createRecord, edited, editRecord, registerHousehold } from "./editing.ts";
import { misstatedPerson, misstatedSearch } from "./misstated.ts";
import { assemble, type Parts, tellSession } from "./parts.ts";
import { kept, readFrom } from "./problems.ts";
import { exportUnsent, importUnsent } from "./transfer.ts";

/**
 * Makes the worker side of a field client over a store: records that can be read and edited at once, and an engine that
 * reconciles them with the server. It starts by itself. Any number of services may share a store; one of them, the holder
 * of the lock, talks to the server. Where they have no `channel` in common, one learns at the next `sync` who signed in at another.
 *
 * @throws TypeError for options that are missing, of another kind or unknown
 */
export function createFieldService(options: FieldServiceOptions): FieldService {
  return fieldServiceOver(assemble(options));
}

/** The service that these parts make up. */
export function fieldServiceOver(parts: Parts): FieldService {
  const { store, records, engine, news, status, started, channel, readers } = parts;
  const { find, judge } = records;
  return {
    read: (type, reference) => readers.counting(readFrom(() => records.read(type, reference))),
    search: (type, parameters) =>
      readers.counting(readFrom(() => records.search(type, parameters), misstatedSearch(parameters))),
    create: (type, record) => createRecord(parts, type, record),
    edit: (type, reference, edit) => editRecord(parts, { type, reference }, edit),
    registerHousehold: (household) => registerHousehold(parts, household),
    signIn: (credentials) => kept(() => signIn(parts, credentials)),
    signOut: (options) => kept(() => signOut(parts, options)),
    findSimilar: (person) => readFrom(() => similarPeople(store, person), misstatedPerson(person)),
    async sync() {
      await started;
      // Somebody may have signed in at another service, which nothing but the store tells.
      if (engine.state.session === "none") await tellSession(parts);
      channel.post({ kind: "poke", eager: true });
      await engine.runNow();
      return status();
    },
    async poke() {
      engine.tell({ kind: "woken", eager: false });
      channel.post({ kind: "poke", eager: false });
    },
    async pause(paused) {
      await started;
      engine.tell({ kind: "paused", paused });
      channel.post({ kind: "pause", paused });
      await engine.settled();
    },
    status,
    parked: () => parkedRecords(store),
    unsent: () => unsentRecords(store),
    resolve: (reference, resolution) =>
      edited(parts, async (author) => {
        const by = await author;
        return decideParked({ ...parts, store: storeOf(store, by), find, by, judge }, reference, resolution);
      }),
    explain: (reference) => readFrom(() => explainRecord({ store, find, feeds: parts.feeds }, reference)),
    exportUnsent: (passphrase) => kept(() => exportUnsent(parts, passphrase)),
    async importUnsent(file, passphrase) {
      const taken = await kept(() => importUnsent(parts, file, passphrase));
      if (taken.ok && taken.value.restored > 0) engine.tell({ kind: "woken", eager: false });
      return taken;
    },
    diagnostics: async () =>
      deviceFacts(parts, {
        status: await status(),
        engine: engine.state,
        madeAt: parts.clock().toISOString(),
      }),
    subscribe: (listener) => news.subscribe(listener),
    async unsubscribe(subscription) {
      news.unsubscribe(subscription);
    },
    async close() {
      parts.disconnect();
      news.close();
      await started;
      await engine.stop(parts.keeper.close);
      await store.close();
    },
  };
}
