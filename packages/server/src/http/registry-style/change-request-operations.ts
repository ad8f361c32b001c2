import { type ChangeRequestWritten, type Outcome, type parseInput, requestSchemas } from "@fieldroll/core";
import { tagOf } from "../disclosure.ts";
import { type CallerExchange, checkParameters } from "../exchange.ts";
import { locationOf, replayHeader } from "../written.ts";
import {
  about,
  dataResponse,
  pageResponse,
  type RegistryStyleFunction,
  versionedResponse,
} from "./answers.ts";
import { listRequest, type OperationRequest, operationRequest, writeRequest } from "./requests.ts";

/** GET `/change_request`. */
export const listChangeRequests: RegistryStyleFunction = async (exchange) => {
  const request = await listRequest(exchange, ["status", "type"]);
  if (!request.ok) return request;
  return pageResponse(exchange, await exchange.view.changeRequests.list(request.value));
};

/** POST `/change_request`. */
export const submitChangeRequest: RegistryStyleFunction = async (exchange) => {
  const request = await writeRequest(exchange, "change_request");
  if (!request.ok) return request;
  const { body, options } = request.value;
  const submitted = await exchange.view.changeRequests.submit(body, options);
  if (!submitted.ok) return submitted;
  const { record, versionId, replayed } = submitted.value;
  const Location = locationOf(exchange, `change_request/${record.ext_id}`);
  const headers = { Location, ...tagOf(versionId), ...replayHeader(replayed) };
  return dataResponse(record, { status: 201, headers });
};

/** GET `/change_request/<ext_id>`. */
export const readChangeRequest: RegistryStyleFunction = about(
  "Change request",
  async ({ url, request, view, param }) => {
    const checked = checkParameters(url, []);
    if (!checked.ok) return checked;
    const found = await view.changeRequests.disclose(param);
    if (!found.ok) return found;
    const { record, versionId } = found.value;
    return versionedResponse(request, record, versionId);
  },
);

/** PUT `/change_request/<ext_id>`, with `{"data"}`. */
export const replaceChangeRequest: RegistryStyleFunction = about("Change request", async (exchange) => {
  const { param } = exchange;
  const request = await writeRequest(exchange, `change_request/${param.toLowerCase()}`);
  if (!request.ok) return request;
  const { body, options } = request.value;
  return writtenData(await exchange.view.changeRequests.replace(param, body, options));
});

const { nothing, revocation } = requestSchemas;

/** POST `/change_request/<ext_id>/$submit`. */
export const submitDraft = operation("$submit", nothing, ({ view, param }, { options }) =>
  view.changeRequests.submitDraft(param, options),
);

/** POST `/change_request/<ext_id>/$revise`, with `{"reason"}` or no body at all. */
export const reviseChangeRequest = operation("$revise", revocation, ({ view, param }, { body, options }) =>
  view.changeRequests.revise(param, body, options),
);

/** POST `/change_request/<ext_id>/$approve`. */
export const approveChangeRequest = operation("$approve", nothing, ({ view, param }, { options }) =>
  view.changeRequests.approve(param, options),
);

/** POST `/change_request/<ext_id>/$reject`, with `{"reason"}` or no body at all. */
export const rejectChangeRequest = operation("$reject", revocation, ({ view, param }, { body, options }) =>
  view.changeRequests.reject(param, body, options),
);

/** POST `/change_request/<ext_id>/$apply`. */
export const applyChangeRequest = operation("$apply", nothing, ({ view, param }, { options }) =>
  view.changeRequests.apply(param, options),
);

function operation<T>(
  name: string,
  schema: Parameters<typeof parseInput<T>>[0],
  run: (exchange: CallerExchange, request: OperationRequest<T>) => Promise<Outcome<ChangeRequestWritten>>,
): RegistryStyleFunction {
  return about("Change request", async (exchange) => {
    const target = `change_request/${exchange.param.toLowerCase()}/${name}`;
    const request = await operationRequest(exchange, target, schema);
    return request.ok ? writtenData(await run(exchange, request.value)) : request;
  });
}

function writtenData(done: Outcome<ChangeRequestWritten>): Outcome<Response> {
  if (!done.ok) return done;
  const { record, versionId, replayed } = done.value;
  return dataResponse(record, { headers: { ...tagOf(versionId), ...replayHeader(replayed) } });
}
