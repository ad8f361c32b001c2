import { success } from "@fieldroll/core";
import { disclosureHeaders, isKnownVersion, tagOf } from "../disclosure.ts";
import { type CallerExchange, checkParameters } from "../exchange.ts";
import { locationOf, replayHeader } from "../written.ts";
import { about, dataResponse, pageResponse, type RegistryStyleFunction } from "./answers.ts";
import { listRequest, writeRequest } from "./requests.ts";

/** GET `/registry/registrant`. */
export const listRegistrants: RegistryStyleFunction = async (exchange) => {
  const request = await listRequest(exchange);
  return request.ok ? pageResponse(exchange, await exchange.view.registrants.list(request.value)) : request;
};

/** GET `/registry/registrant/<ext_id>`. */
export const readRegistrant: RegistryStyleFunction = about("Registrant", async (exchange) => {
  const checked = checkParameters(exchange.url, []);
  if (!checked.ok) return checked;
  const found = await exchange.view.registrants.read(exchange.param);
  if (!found.ok) return found;
  const { record, versionId, disclosure } = found.value;
  const headers = { ...tagOf(versionId), ...disclosureHeaders(disclosure) };
  const known = isKnownVersion(exchange.request, versionId, disclosure);
  if (!known.ok) return known;
  return known.value
    ? success(new Response(null, { status: 304, headers }))
    : dataResponse(record, { headers });
});

/** POST `/registry/registrant`. */
export const createRegistrant: RegistryStyleFunction = async (exchange) => {
  const request = await writeRequest(exchange, "registry/registrant");
  if (!request.ok) return request;
  const { body, options } = request.value;
  const made = await exchange.view.registrants.create(body, options);
  if (!made.ok) return made;
  const { record, versionId, replayed } = made.value;
  const Location = locationOf(exchange, `registry/registrant/${record.ext_id}`);
  return dataResponse(record, {
    status: 201,
    headers: { Location, ...tagOf(versionId), ...replayHeader(replayed) },
  });
};

/** PUT `/registry/registrant/<ext_id>`. */
export const replaceRegistrant: RegistryStyleFunction = about("Registrant", async (exchange) => {
  const request = await writeRequest(exchange, targetOf(exchange));
  if (!request.ok) return request;
  const { body, options } = request.value;
  const written = await exchange.view.registrants.replace(exchange.param, body, options);
  if (!written.ok) return written;
  const { record, versionId, replayed } = written.value;
  return dataResponse(record, { headers: { ...tagOf(versionId), ...replayHeader(replayed) } });
});

function targetOf({ param }: CallerExchange): string {
  return `registry/registrant/${param.toLowerCase()}`;
}

/** A caller that is shown nothing of a record is not told its version either. */
