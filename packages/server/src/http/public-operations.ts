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

/** GET `/readyz`: the storage answers. */
export async function readiness({ service }: Exchange): Promise<Outcome<Response>> {
  try {
    await service.registry.epoch();
    return success(Response.json({ status: "ready" }));
  } catch {
    return failure({ kind: "unavailable", detail: "The registry's storage does not answer." });
  }
}

/** POST `/oauth2/token`. */
export async function token({ service, request, peer }: Exchange): Promise<Outcome<Response>> {
  return success(await grantToken(service.issuer, request, peer));
}
