import { requestSchemas } from "@fieldroll/core";
import { tagOf } from "../disclosure.ts";
import { checkParameters } from "../exchange.ts";
import { replayHeader } from "../written.ts";
import {
  about,
  dataResponse,
  pageResponse,
  type RegistryStyleFunction,
  versionedResponse,
} from "./answers.ts";
import { listRequest, operationRequest, writeRequest } from "./requests.ts";

/** GET `/programs`. */
export const listPrograms: RegistryStyleFunction = async (exchange) => {
  const request = await listRequest(exchange);
  return request.ok ? pageResponse(exchange, await exchange.view.programDesk.list(request.value)) : request;
};

/** GET `/programs/<ext_id>`. */
export const readProgram: RegistryStyleFunction = about("Program", async ({ url, request, view, param }) => {
  const checked = checkParameters(url, []);
  if (!checked.ok) return checked;
  const found = await view.programDesk.disclose(param);
  if (!found.ok) return found;
  return versionedResponse(request, found.value.record, found.value.versionId);
});

/** POST `/programs/<ext_id>/enroll`. */
export const enroll: RegistryStyleFunction = about("Program", async (exchange) => {
  const { view, param } = exchange;
  const request = await writeRequest(exchange, `programs/${param.toLowerCase()}/enroll`);
  if (!request.ok) return request;
  const { body, options } = request.value;
  const made = await view.programDesk.enroll(param, body, options);
  if (!made.ok) return made;
  const { record, versionId, replayed } = made.value;
  return dataResponse(record, { status: 201, headers: { ...tagOf(versionId), ...replayHeader(replayed) } });
});

/** GET `/programs/<ext_id>/cycles`. */
export const listCycles: RegistryStyleFunction = about("Program", async (exchange) => {
  const request = await listRequest(exchange);
  if (!request.ok) return request;
  return pageResponse(exchange, await exchange.view.cycles.list(exchange.param, request.value));
});

/** GET `/entitlements`. */
export const listEntitlements: RegistryStyleFunction = async (exchange) => {
  const request = await listRequest(exchange, [
    "program_ext_id",
    "cycle_ext_id",
    "registrant_ext_id",
    "state",
  ]);
  return request.ok ? pageResponse(exchange, await exchange.view.entitlements.list(request.value)) : request;
};

/** GET `/entitlements/<ext_id>`. */
export const readEntitlement: RegistryStyleFunction = about(
  "Entitlement",
  async ({ url, request, view, param }) => {
    const checked = checkParameters(url, []);
    if (!checked.ok) return checked;
    const found = await view.entitlements.disclose(param);
    if (!found.ok) return found;
    return versionedResponse(request, found.value.record, found.value.versionId);
  },
);

/** POST `/entitlements/<ext_id>/approve`. */
export const approveEntitlement: RegistryStyleFunction = about("Entitlement", async (exchange) => {
  const { view, param } = exchange;
  const target = `entitlements/${param.toLowerCase()}/approve`;
  const request = await operationRequest(exchange, target, requestSchemas.nothing);
  if (!request.ok) return request;
  const approved = await view.entitlements.approve(param, request.value.options);
  if (!approved.ok) return approved;
  const { record, versionId, replayed } = approved.value;
  return dataResponse(record, { headers: { ...tagOf(versionId), ...replayHeader(replayed) } });
});
