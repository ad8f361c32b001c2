import { describe, expect, it } from "vitest";
import { classify, type RawAnswer, type Reply } from "./reply.ts";

const now = new Date("2026-01-15T08:00:00Z");
const record = JSON.stringify({ type: "Individual" });
const problem = (kind: string, status: number) =>
  JSON.stringify({
    type: `urn:service:error:${kind}`,
    status,
    detail: "why",
    missing_scope: "registry:write",
  });

function answer(rest: Partial<RawAnswer>): RawAnswer {
  return {
    kind: "answer",
    status: 200,
    contentType: "application/json; charset=utf-8",
    retryAfter: null,
    authenticate: null,
    text: record,
    ...rest,
  };
}

const problemJson = "application/problem+json";
const cases: readonly [string, Partial<RawAnswer>, Partial<Reply>][] = [
  ["JSON is an answer", {}, { kind: "ok" }],
  ["one that the server repeats says so", { replayed: "true" }, { kind: "ok", replayed: true }],
  ["a captive portal's page is none", { contentType: "text/html", text: "<html>" }, { kind: "no-answer" }],
  ["JSON that was cut short is none", { text: record.slice(0, 9) }, { kind: "no-answer" }],
  ["JSON that is no object is none", { text: "[]" }, { kind: "no-answer" }],
  [
    "a problem is a refusal",
    { status: 409, contentType: problemJson, text: problem("conflict", 409) },
    { kind: "problem", problem: "conflict" },
  ],
  [
    "a problem of the registry-style half is one too",
    { status: 404, contentType: problemJson, text: JSON.stringify({ type: "https://x/errors/not-found" }) },
    { kind: "problem", problem: "not-found" },
  ],
  [
    "a refusal in HTML, as of a proxy, is none",
    { status: 404, contentType: "text/html", text: problem("not-found", 404) },
    { kind: "no-answer" },
  ],
  [
    "JSON that does not say it is a problem is none",
    { status: 409, text: problem("conflict", 409) },
    { kind: "no-answer" },
  ],
  [
    "a problem of somebody else's kind is none",
    { status: 422, contentType: problemJson, text: JSON.stringify({ type: "urn:x:faults:validation" }) },
    { kind: "no-answer" },
  ],
  ["a refusal that names no problem is somebody else's", { status: 403, text: "{}" }, { kind: "no-answer" }],
  [
    "a missing scope is named",
    { status: 403, contentType: problemJson, text: problem("authorization", 403) },
    { kind: "problem", missingScope: "registry:write" },
  ],
  [
    "401 with a challenge asks for a sign-in",
    { status: 401, authenticate: "Bearer", text: "" },
    { kind: "unauthorized" },
  ],
  ["401 of a proxy does not", { status: 401, contentType: "text/html", text: "" }, { kind: "no-answer" }],
  [
    "503 is for everybody",
    { status: 503, retryAfter: "7", text: "" },
    { kind: "unavailable", retryAfter: 7_000 },
  ],
  ["429 too", { status: 429, text: "" }, { kind: "unavailable", retryAfter: null }],
  ["500 is for this request", { status: 500, text: "" }, { kind: "broken" }],
];

describe("classify", () => {
  it.each(cases)("%s", (_name, given, expected) => {
    expect(classify(answer(given), now)).toMatchObject(expected);
  });
});
