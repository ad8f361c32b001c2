import { failure, type Outcome, success } from "@fieldroll/core";
import { grantToken } from "../oauth/token-endpoint.ts";
import type { Exchange } from "./exchange.ts";
import { capabilityStatement } from "./metadata.ts";

/** GET `/metadata`. */
export async function metadata(exchange: Exchange): Promise<Outcome<Response>> {
  return success(Response.json(capabilityStatement(exchange), { headers: { "Cache-Control": "no-cache" } }));
}

/** GET `/healthz`: the process runs. */
export async function health(): Promise<Outcome<Response>> {
  return success(Response.json({ status: "ok" }));
}

/** GET `/readyz`: the storage answers, and nothing in it was seen to be damaged. */
export async function readiness({ service }: Exchange): Promise<Outcome<Response>> {
  const answers = await service.registry.epoch().then(
    () => true,
    (error: unknown) => {
      service.storage.observe(error);
      return false;
    },
  );
  if (service.storage.isDamaged()) {
    return failure({ kind: "unavailable", detail: "The registry's database is damaged. Restore a backup." });
  }
  if (!answers) return failure({ kind: "unavailable", detail: "The registry's storage does not answer." });
  return success(Response.json({ status: "ready" }));
}

/** POST `/oauth2/token`. */
export async function token({ service, request, peer }: Exchange): Promise<Outcome<Response>> {
  return success(await grantToken(service.issuer, request, peer));
}
