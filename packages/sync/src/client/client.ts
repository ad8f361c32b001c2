import { hasMethods, type OptionRule, refuseUnknownOptions, refuseWrongOptions } from "@fieldroll/core";
import { hostClock } from "../host.ts";
import { createFieldService } from "../service/service.ts";
import type { FieldServiceOptions } from "../service-options.ts";
import type { FieldService } from "../service-types.ts";
import type { FieldClient } from "../types.ts";
import { clientOver } from "./over-service.ts";

/** Where the client's service is: one that runs elsewhere, such as in a worker, or what to make one of right here. */
export type FieldClientOptions = { readonly service: FieldService } | FieldServiceOptions;

/** Of what a service does, what nothing else is likely to do. */
const serviceRule: OptionRule = [
  (given) => hasMethods(given, "read", "edit", "subscribe", "exportUnsent"),
  "a service, such as createFieldService(…) gives; await what makes one",
];

/**
 * Makes what a field app works with: records that can be read and edited with or without a network, and a status.
 *
 * @throws TypeError where there is no service, and no `server` and `store` to make one of, and for options that are wrong or unknown
 *
 * @example
 * const client = createFieldClient({ server: "https://registry.example/api/v2", feeds: ["all"], store });
 * await client.signIn({ clientId, clientSecret });
 * await client.individuals.update(reference, (draft) => { draft.name.family = "Reyes"; });
 */
export function createFieldClient(options: FieldClientOptions): FieldClient {
  if (!("service" in Object(options))) {
    const own = options as FieldServiceOptions;
    return clientOver(createFieldService(own), own.clock ?? hostClock);
  }
  refuseWrongOptions("createFieldClient", options, { service: serviceRule });
  refuseUnknownOptions("createFieldClient over a service", options, ["service"]);
  return clientOver((options as { readonly service: FieldService }).service, hostClock);
}
