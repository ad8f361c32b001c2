import {
  failure,
  type Group,
  type Individual,
  type JsonObject,
  type Outcome,
  type Program,
  type ProgramMembership,
  type ResourceType,
} from "@fieldroll/core";
import type { EditableType, FieldService } from "../service-types.ts";
import type { SyncStatus } from "../status-types.ts";
import type { DeviceRecords, EditableRecords, FieldClient, Held, NewRecord } from "../types.ts";
import { clockOf } from "./clock.ts";
import { createSignal, type Signal } from "./signal.ts";
import { unknownStatus } from "./unknown-status.ts";
import { updateRecord } from "./update.ts";

/** A client over a service that runs elsewhere: it brings neither registry nor engine, so a page that has both in a worker stays small. */
export function clientOver(given: FieldService, clock: () => Date): FieldClient {
  let closing: Promise<void> | undefined;
  const service = untilClosed(given, () => closing !== undefined);
  const status = createSignal(unknownStatus);
  const changed = createSignal(0);
  const subscription = listen(given, status, changed);
  const shown = new WeakMap<object, string>();
  return {
    individuals: editable<Individual>(service, "Individual", shown),
    groups: editable<Group>(service, "Group", shown),
    programs: readable<Program>(service, "Program", shown),
    memberships: editable<ProgramMembership>(service, "ProgramMembership", shown),
    registerHousehold: (household) => service.registerHousehold(household),
    findSimilar: (person) => service.findSimilar(person),
    status: status.observable,
    changed: changed.observable,
    clock: clockOf(clock, () => status.observable.current),
    signIn: (credentials) => service.signIn(credentials),
    signOut: (options) => service.signOut(options),
    async sync() {
      const now = await service.sync();
      status.set(now);
      return now;
    },
    pause: () => service.pause(true),
    resume: () => service.pause(false),
    parked: () => service.parked(),
    unsent: () => service.unsent(),
    resolve: (reference, resolution) => service.resolve(reference, resolution),
    explain: (reference) => service.explain(reference),
    exportUnsent: (passphrase) => service.exportUnsent(passphrase),
    importUnsent: (file, passphrase) => service.importUnsent(file, passphrase),
    diagnostics: () => service.diagnostics(),
    close() {
      closing ??= subscription
        .then((name) => (name === null ? undefined : given.unsubscribe(name)))
        .then(() => given.close());
      return closing;
    },
  };
}

/** A service of which nothing is asked once the client is closed: with its worker gone, nobody would ever answer. */
function untilClosed(service: FieldService, isClosed: () => boolean): FieldService {
  const detail = "This client was closed; make another one.";
  // What tells no outcome rejects.
  const refuse = async (name: PropertyKey) => {
    if (/^(sync|pause|parked|unsent|diagnostics)$/.test(String(name))) throw new Error(detail);
    return failure({ kind: "unavailable", detail });
  };
  return new Proxy({} as FieldService, {
    get: (_, name) => (isClosed() ? () => refuse(name) : Reflect.get(service, name)),
  });
}

async function listen(
  service: FieldService,
  status: Signal<SyncStatus>,
  changed: Signal<number>,
): Promise<string | null> {
  try {
    return await service.subscribe((news) => {
      status.set(news.status);
      changed.set(news.changes);
    });
  } catch (error) {
    status.set({ ...unknownStatus, lastError: error instanceof Error ? error.message : String(error) });
    return null;
  }
}

/** The keys of records that were handed out: an edit that began with one is of that very record, whatever its name leads to by now. */
type Shown = WeakMap<object, string>;

/** Records cross the boundary as plain JSON; what `T` promises was checked by the registry behind it. */
function readable<T>(service: FieldService, type: ResourceType, shown: Shown): DeviceRecords<T> {
  const note = (held: readonly Held<object>[]) => {
    for (const { record, key } of held) shown.set(record, key);
  };
  return {
    async read(reference) {
      const outcome = await service.read(type, reference);
      if (outcome.ok) note([outcome.value]);
      return outcome as Outcome<Held<T>>;
    },
    async search(parameters = {}) {
      const outcome = await service.search(type, parameters);
      if (outcome.ok) note(outcome.value.data);
      return outcome as Awaited<ReturnType<DeviceRecords<T>["search"]>>;
    },
  };
}

function editable<T extends object>(
  service: FieldService,
  type: EditableType,
  shown: Shown,
): EditableRecords<T> {
  return {
    ...readable<T>(service, type, shown),
    create: async (record: NewRecord<T>) =>
      (await service.create(type, record as unknown as JsonObject)) as Outcome<Held<T>>,
    update: (reference, recipe, options = {}) =>
      updateRecord<T>(
        service,
        { type, reference },
        { ...options, recipe, key: options.seen && shown.get(options.seen) },
      ),
  };
}
