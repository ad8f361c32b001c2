import type { FieldService } from "../service-types.ts";

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

/**
 * A service that may come late or never: what is asked waits for it until there is a stand-in, which then answers in its place. When
 * the service comes all the same, it answers what is asked from then on, and those who heard the stand-in hear it too.
 */
export function serviceOrStandIn(
  service: Promise<FieldService>,
  standIn: Promise<FieldService>,
): FieldService {
  let present = Promise.race([service, standIn]);
  const comes = service.then(
    (come) => {
      present = service;
      return come;
    },
    () => undefined,
  );
  return {
    ...serviceLater(() => present),
    async subscribe(listener) {
      const first = await present;
      const subscription = await first.subscribe(listener);
      void comes.then((come) => {
        if (!come || come === first) return;
        // What the stand-in refused is to be read again.
        void come.subscribe((news) => listener({ ...news, changes: news.changes + 1 }));
      });
      return subscription;
    },
    async close() {
      const first = await present;
      await first.close();
      void comes.then((come) => (come === first ? undefined : come?.close()));
    },
  };
}
