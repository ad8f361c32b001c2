import { createRegistry, disability, farmer, type Registry, type Store } from "@fieldroll/core";
import { v7 } from "uuid";

/** The extensions that every command's registry declares. */
export const registryExtensions = [farmer, disability] as const;

/** The registry of a command, on the system's clock. */
export function openRegistry(store: Store, options: { readonly programs: boolean }): Registry {
  return createRegistry({
    store,
    clock: () => new Date(),
    newId: () => v7(),
    extensions: registryExtensions,
    capabilities: { programs: options.programs },
  });
}
