import { parkedRecords } from "../device/parked.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { FieldService } from "../service-types.ts";
import { signIn, signOut } from "./accounts.ts";
import { decideParked, explainRecord } from "./decisions.ts";
import { createRecord, edited, editRecord, registerHousehold } from "./editing.ts";
import { assemble } from "./parts.ts";

/**
 * Makes the worker side of a field client over a store: records that can be read and edited at once, and an engine that
 * reconciles them with the server. It starts by itself. Any number of services may share a store; one of them, the holder
 * of the lock, talks to the server.
 */
export function createFieldService(options: FieldServiceOptions): FieldService {
  const parts = assemble(options);
  const { store, records, engine, news, status, started, channel } = parts;
  const { find } = records;
  return {
    read: (type, reference) => records.read(type, reference),
    search: (type, parameters) => records.search(type, parameters),
    create: (type, record) => createRecord(parts, type, record),
    edit: (type, reference, edit) => editRecord(parts, { type, reference }, edit),
    registerHousehold: (household) => registerHousehold(parts, household),
    signIn: (credentials) => signIn(parts, credentials),
    signOut: () => signOut(parts),
    async sync() {
      await started;
      channel.post({ kind: "poke", eager: true });
      await engine.runNow();
      return status();
    },
    async poke() {
      engine.tell({ kind: "woken", eager: false });
      channel.post({ kind: "poke", eager: false });
    },
    status,
    parked: () => parkedRecords(store),
    resolve: (reference, resolution) =>
      edited(parts, () => decideParked({ ...parts, find }, reference, resolution)),
    explain: (reference) => explainRecord({ store, find }, reference),
    subscribe: (listener) => news.subscribe(listener),
    async unsubscribe(subscription) {
      news.unsubscribe(subscription);
    },
    async close() {
      parts.disconnect();
      news.close();
      await started;
      await engine.stop();
      await store.close();
    },
  };
}
