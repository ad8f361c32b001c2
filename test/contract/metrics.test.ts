import { readFile } from "node:fs/promises";
import { StoreError } from "@fieldroll/core";
import { createMetrics } from "@fieldroll/server/node";
import { expect, it } from "vitest";
import { household, origin, person, startService } from "./fixture.ts";

async function figures(handle: (request: Request) => Promise<Response>): Promise<string> {
  const answer = await handle(new Request(`${origin}/metrics`));
  expect(answer.status).toBe(200);
  expect(answer.headers.get("Content-Type")).toMatch(/^text\/plain/);
  return answer.text();
}

async function startCounted() {
  const metrics = createMetrics();
  const { answered: onAnswer, failed } = metrics;
  const handler = { metrics, onAnswer, onFailure: (error: unknown) => failed(error) };
  return { metrics, service: await startService({ handler }) };
}

it("counts answers by template, method and class of status, and tells how long they took", async () => {
  const { service } = await startCounted();
  await service.call({ method: "POST", path: "/Individual", body: person("1") });
  await service.call({ path: "/Individual/urn:gov:ph:nid|1" });
  await service.call({ path: "/Individual/urn:gov:ph:nid|unknown" });
  const text = await figures(service.handle);
  expect(text).toContain(
    'http_requests_total{route="/api/v2/Individual/{address}",method="GET",status="2xx"} 1',
  );
  expect(text).toContain(
    'http_requests_total{route="/api/v2/Individual/{address}",method="GET",status="4xx"} 1',
  );
  expect(text).toContain('http_request_duration_seconds_count{route="/api/v2/Individual",method="POST"} 1');
});

it("counts tokens issued and refused requests for one apart", async () => {
  const { service } = await startCounted();
  await service.tokenOf("writer");
  const form = { grant_type: "client_credentials", client_id: "writer", client_secret: "wrong" };
  const token = new Request(`${origin}/oauth2/token`, { method: "POST", body: new URLSearchParams(form) });
  expect((await service.handle(token)).status).toBe(401);
  expect(await figures(service.handle)).toMatch(/^oauth_tokens_issued_total 1$/m);
});

it("counts failures of the store by their code", async () => {
  const { service, metrics } = await startCounted();
  metrics.failed(new StoreError("closed", "gone"));
  metrics.failed(new Error("something else"));
  expect(await figures(service.handle)).toContain('store_failures_total{code="closed"} 1');
});

it("names no record, no path and no method that a caller made up", async () => {
  const { service } = await startCounted();
  await service.call({ method: "POST", path: "/Individual", body: person("secret-4711") });
  await service.call({ method: "POST", path: "/Group", body: household("secret-4712", []) });
  await service.call({ path: "/Individual/urn:gov:ph:nid|secret-4711?name=secret-name" });
  await service.call({ path: `${origin}/somewhere/secret-place` });
  await service.call({ method: "SECRETIVE", path: "/Individual" });
  const text = await figures(service.handle);
  expect(text).not.toMatch(/secret/i);
  expect(text).toContain('route="unmatched"');
  expect(text).toContain('method="other"');
});

it("tells figures of the process", async () => {
  const { service } = await startCounted();
  expect(await figures(service.handle)).toContain("process_cpu_seconds_total");
});

it("is not there on a handler without figures", async () => {
  const service = await startService();
  const { status, body } = await service.call({ path: `${origin}/metrics`, as: null });
  expect(status).toBe(404);
  expect(body).toMatchObject({ type: "urn:service:error:not-found" });
});

it("has the metrics that the operators' page lists, and no others", async () => {
  const page = await readFile(new URL("../../docs/operating.md", import.meta.url), "utf8");
  const table = page.slice(page.indexOf("### Metrics"));
  const listed = [...table.matchAll(/`((?:http|oauth|store|process|nodejs)_\w+)`/g)].map(([, name]) => name);
  const { service } = await startCounted();
  const text = await figures(service.handle);
  const there = [...text.matchAll(/^# HELP (\w+)/gm)].map(([, name]) => name);
  expect(listed.filter((name, i) => listed.indexOf(name) !== i)).toEqual([]);
  expect(there.filter((name) => !listed.includes(name))).toEqual([]);
  if (process.platform === "linux") expect(listed.filter((name) => !there.includes(name))).toEqual([]);
});
