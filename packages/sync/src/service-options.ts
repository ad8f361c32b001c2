import type { RegistryConfig, Store } from "@fieldroll/core";
import type { HostPorts } from "./ports.ts";

/** What `createFieldService` needs to know; every port has a default that any web-standard host can serve. */
export interface FieldServiceOptions extends Partial<HostPorts> {
  /** Root of the API, such as `https://registry.example/api/v2`; without a user, query or fragment. */
  readonly server: string;
  /** Where tokens come from; `/oauth2/token` is added. Default: the origin of `server`. */
  readonly authServer?: string;
  /**
   * What this device keeps a copy of, such as `["programs", "area:PH/Cavite"]`. Default: `["all"]`. There are `all`, `programs`, areas
   * (`area:<country's code>/<state>/<city>`, or its beginning), and whatever feeds the server's deployment names itself.
   */
  readonly feeds?: readonly string[];
  /** Where everything is kept. The service closes it. */
  readonly store: Store;
  /**
   * As the server has them, so that the device refuses what the server would. Of what a record had already and an edit leaves as it
   * is, a device refuses nothing: the server may know more.
   */
  readonly rules?: Pick<RegistryConfig, "namespace" | "vocabularies" | "extensions" | "capabilities">;
  /** Whether the engine runs by itself. Default `true`; `false` leaves it to `sync()`. */
  readonly automatic?: boolean;
  /** Longest time between two looks at the server while idle, in milliseconds. Default 5 minutes. */
  readonly pollInterval?: number;
  /**
   * Whether photos are sent over every network, or records first and their photos once the network is not metered. Default
   * `always`: a device whose every network is metered would never send one.
   */
  readonly photos?: "always" | "unmetered";
  /** How long one request may take, in milliseconds, and longer where it sends much. Default 30 seconds. */
  readonly requestTimeout?: number;
}
