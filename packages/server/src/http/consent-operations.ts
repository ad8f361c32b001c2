import { type Consent, type Json, type Outcome, parseInput, requestSchemas, success } from "@fieldroll/core";
import { type Answer, emptyAnswer, jsonAnswer } from "./answer.ts";
import { readOptionalJson } from "./body.ts";
import { type CallerExchange, checkParameters } from "./exchange.ts";
import { readIdempotency } from "./idempotency.ts";
import { entityTag, hasVersion } from "./preconditions.ts";
import { replayHeader } from "./written.ts";

/** GET `/Consent/<id>`. */
export async function readConsent(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const found = await exchange.view.consents.read(exchange.param);
  if (!found.ok) return found;
  const { versionId } = found.value.meta;
  const known = hasVersion(exchange.request.headers.get("If-None-Match"), versionId);
  if (!known.ok) return known;
  if (known.value) return success(emptyAnswer(304, { ETag: entityTag(versionId) }));
  return success(consentAnswer(found.value));
}

/** POST `/Consent/<id>/$revoke`, with `{"reason"}` or no body at all. */
export async function revokeConsent(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const { request, param } = exchange;
  const body = await readOptionalJson(exchange, ["application/json"]);
  if (!body.ok) return body;
  const reason = reasonIn(body.value?.value);
  if (!reason.ok) return reason;
  const idempotency = await readIdempotency({
    key: request.headers.get("Idempotency-Key"),
    method: request.method,
    target: `Consent/${param}/$revoke`,
    body: body.value?.bytes ?? new Uint8Array(),
  });
  if (!idempotency.ok) return idempotency;
  const revoked = await exchange.view.consents.revokeOnce(param, {
    ...(reason.value === undefined ? {} : { reason: reason.value }),
    ...(idempotency.value === undefined ? {} : { idempotency: idempotency.value }),
  });
  if (!revoked.ok) return revoked;
  const { record, replayed } = revoked.value;
  return success(consentAnswer(record, replayHeader(replayed)));
}

/** DELETE `/Consent/<id>`: withdrawn, its evidence erased. */
export async function deleteConsent(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const removed = await exchange.view.consents.remove(exchange.param);
  return removed.ok ? success(emptyAnswer(204)) : removed;
}

function consentAnswer(consent: Consent, more: Readonly<Record<string, string>> = {}): Answer {
  return jsonAnswer(consent, { headers: { ETag: entityTag(consent.meta.versionId), ...more } });
}

function reasonIn(body: Json | undefined): Outcome<string | undefined> {
  if (body === undefined) return success(undefined);
  const read = parseInput(requestSchemas.revocation, body);
  return read.ok ? success(read.value.reason) : read;
}
