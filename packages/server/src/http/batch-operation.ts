import { type BatchOptions, type BatchResponse, maxEntries, type Outcome, success } from "@fieldroll/core";
import { type Answer, jsonAnswer } from "./answer.ts";
import { readJson } from "./body.ts";
import type { CallerExchange } from "./exchange.ts";
import { fingerprintOf } from "./idempotency.ts";
import { entityTag } from "./preconditions.ts";
import { problemDetails, type Room, roomForProblems } from "./problem-details.ts";
import { searchPage } from "./resource-operations.ts";
import { writeOptions } from "./write-request.ts";
import { locationOf, replayHeader } from "./written.ts";

/** POST `/$batch`: contract section 5. */
export async function batch(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const body = await readJson(exchange, ["application/json"]);
  if (!body.ok) return body;
  exchange.quota.charge(entriesIn(body.value.value) - 1);
  const options = await writeOptions(exchange, { bytes: body.value.bytes, target: "$batch" });
  if (!options.ok) return options;
  const { ifMatch: _, ...rest } = options.value;
  const done = await exchange.view.batch(body.value.value, {
    ...rest,
    search: searchWithin(exchange),
    fingerprint: ({ body, ...request }) =>
      fingerprintOf({ ...request, body: new TextEncoder().encode(body) }),
  });
  if (!done.ok) return done;
  const { type, responses, replayed } = done.value;
  const room = roomForProblems();
  const entry = responses.map((response) => entryOf(exchange, response, room));
  const bundle = { resourceType: "Bundle", type: `${type}-response`, entry };
  return success(jsonAnswer(bundle, { headers: replayHeader(replayed) }));
}

function entriesIn(bundle: unknown): number {
  const { entry } = Object(bundle);
  return Array.isArray(entry) ? Math.min(Math.max(entry.length, 1), maxEntries) : 1;
}

/** A search in a bundle is answered as the same search alone. */
function searchWithin(exchange: CallerExchange): NonNullable<BatchOptions["search"]> {
  return (resource, parameters) => {
    const url = new URL(`${exchange.baseUrl}/${resource}`);
    for (const [name, value = []] of Object.entries(parameters)) {
      for (const one of [value].flat()) url.searchParams.append(name, one);
    }
    const route = { ...exchange.route, template: `/${resource}`, resource };
    return searchPage({ ...exchange, url, route });
  };
}

function entryOf(exchange: CallerExchange, answer: BatchResponse, room: Room) {
  const { status, reference, versionId, key, shows, resource, problem } = answer;
  const response = {
    status,
    ...(reference === undefined ? {} : { location: locationOf(exchange, reference) }),
    ...(versionId === undefined ? {} : { etag: entityTag(versionId) }),
    ...(key === undefined ? {} : { key }),
    ...(shows === undefined ? {} : { shows }),
  };
  if (problem) {
    const { service, path: instance } = exchange;
    return {
      response,
      resource: problemDetails(problem, { namespace: service.namespace, instance, status, room }),
    };
  }
  return { response, ...(resource === undefined ? {} : { resource }) };
}
