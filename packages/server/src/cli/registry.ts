import {
  createRegistry,
  disability,
  farmer,
  type Registry,
  type RegistryConfig,
  type Store,
} from "@fieldroll/core";
import { v7 } from "uuid";

/** The extensions that every command's registry declares. */
export const registryExtensions = [farmer, disability] as const;

/** What a command chooses of its registry. */
export interface RegistryChoices {
  readonly programs?: boolean;
  readonly withoutConsent?: "hide" | "identifiers";
  readonly restrictedWrites?: NonNullable<RegistryConfig["policies"]>["restrictedWrites"];
  readonly oneHousehold?: boolean;
  readonly onRead?: RegistryConfig["onRead"];
  readonly retention?: RegistryConfig["retention"];
}

/** The registry of a command, on the system's clock. */
export function openRegistry(store: Store, choices: RegistryChoices = {}): Registry {
  return createRegistry(registryConfig(store, choices));
}

/** What the registry of a command is made of. */
export function registryConfig(store: Store, choices: RegistryChoices = {}): RegistryConfig {
  const { programs = true, withoutConsent = "hide", restrictedWrites = [], onRead, retention } = choices;
  const { oneHousehold = false } = choices;
  return {
    store,
    clock: () => new Date(),
    newId: () => v7(),
    extensions: registryExtensions,
    capabilities: { programs },
    policies: { withoutConsent, restrictedWrites, oneHousehold },
    ...(onRead ? { onRead } : {}),
    ...(retention ? { retention } : {}),
  };
}
