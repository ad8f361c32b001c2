import type { FieldService } from "../service-types.ts";

/** A service that is not there yet: every call waits for it, and fails as its coming does. */
export function serviceLater(service: Promise<FieldService>): FieldService {
  return {
    read: async (...call) => (await service).read(...call),
    search: async (...call) => (await service).search(...call),
    create: async (...call) => (await service).create(...call),
    edit: async (...call) => (await service).edit(...call),
    registerHousehold: async (...call) => (await service).registerHousehold(...call),
    findSimilar: async (...call) => (await service).findSimilar(...call),
    signIn: async (...call) => (await service).signIn(...call),
    signOut: async (...call) => (await service).signOut(...call),
    sync: async () => (await service).sync(),
    poke: async () => (await service).poke(),
    pause: async (...call) => (await service).pause(...call),
    status: async () => (await service).status(),
    parked: async () => (await service).parked(),
    resolve: async (...call) => (await service).resolve(...call),
    explain: async (...call) => (await service).explain(...call),
    exportUnsent: async (...call) => (await service).exportUnsent(...call),
    importUnsent: async (...call) => (await service).importUnsent(...call),
    diagnostics: async () => (await service).diagnostics(),
    subscribe: async (...call) => (await service).subscribe(...call),
    unsubscribe: async (...call) => (await service).unsubscribe(...call),
    close: async () => (await service).close(),
  };
}
