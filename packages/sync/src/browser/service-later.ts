import type { FieldService, ServiceNews } from "../service-types.ts";

/**
 * A service that is not there yet: every call waits for it, and fails as its coming does.
 *
 * @param service what there is to wait for when a call is made
 */
export function serviceLater(service: () => Promise<FieldService>): FieldService {
  return {
    read: async (...call) => (await service()).read(...call),
    search: async (...call) => (await service()).search(...call),
    create: async (...call) => (await service()).create(...call),
    edit: async (...call) => (await service()).edit(...call),
    registerHousehold: async (...call) => (await service()).registerHousehold(...call),
    findSimilar: async (...call) => (await service()).findSimilar(...call),
    signIn: async (...call) => (await service()).signIn(...call),
    signOut: async (...call) => (await service()).signOut(...call),
    sync: async () => (await service()).sync(),
    poke: async () => (await service()).poke(),
    pause: async (...call) => (await service()).pause(...call),
    status: async () => (await service()).status(),
    parked: async () => (await service()).parked(),
    unsent: async () => (await service()).unsent(),
    resolve: async (...call) => (await service()).resolve(...call),
    explain: async (...call) => (await service()).explain(...call),
    exportUnsent: async (...call) => (await service()).exportUnsent(...call),
    importUnsent: async (...call) => (await service()).importUnsent(...call),
    diagnostics: async () => (await service()).diagnostics(),
    subscribe: async (...call) => (await service()).subscribe(...call),
    unsubscribe: async (...call) => (await service()).unsubscribe(...call),
    close: async () => (await service()).close(),
  };
}

/** A service in whose place others come in turn. */
export interface Relay {
  /** What is asked of it goes to the service that is there, and waits for the first one. */
  readonly service: FieldService;
  /** Puts a service in the place of the one before. Who listened to that one hears this one, and is told that records changed. */
  use(next: FieldService): void;
}

type Listener = (news: ServiceNews) => void;

/** Makes a relay with no service yet. */
export function createRelay(): Relay {
  const subscriptions = new Map<string, { readonly listener: Listener; at: Promise<string> }>();
  let count = 0;
  let current: FieldService | null = null;
  /** Changes that were told, and how many of them before the present service came. */
  const told = { all: 0, before: 0 };
  let come: (first: FieldService) => void = () => undefined;
  let present = new Promise<FieldService>((resolve) => {
    come = resolve;
  });
  const listen = (service: FieldService, listener: Listener) =>
    service.subscribe((news) => {
      if (service !== current) return;
      const changes = told.before + news.changes;
      told.all = Math.max(told.all, changes);
      return listener({ ...news, changes });
    });
  return {
    use(next) {
      if (current) {
        present = Promise.resolve(next);
        told.before = ++told.all;
      }
      current = next;
      come(next);
      for (const each of subscriptions.values()) {
        each.at = listen(next, each.listener);
        each.at.catch(() => undefined);
      }
    },
    service: {
      ...serviceLater(() => present),
      async subscribe(listener) {
        const name = String(++count);
        const first = await present;
        // Another one may have come since.
        const at = listen(current ?? first, listener);
        subscriptions.set(name, { listener, at });
        await at;
        return name;
      },
      async unsubscribe(name) {
        const found = subscriptions.get(name);
        subscriptions.delete(name);
        if (found) await (await present).unsubscribe(await found.at);
      },
    },
  };
}
