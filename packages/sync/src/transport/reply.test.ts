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
    at: now.getTime(),
    text: record,
    ...rest,
  };
}

const problemJson = "application/problem+json";
const cases: readonly [string, Partial<RawAnswer>, Partial<Reply>][] = [
  ["JSON is an answer", {}, { kind: "ok" }],
  ["one that the server repeats says so", { replayed: "true" }, { kind: "ok", replayed: true }],
  ...[200, 204, 302, 401, 403, 404, 511].map((status): (typeof cases)[number] => [
    `a captive portal's page with ${status} is none, and is told as one`,
    { status, contentType: "text/html", text: "<html>" },
    { kind: "no-answer", isPortal: true },
  ]),
  [
    "a portal's challenge with a page asks for no sign-in",
    { status: 401, authenticate: "Bearer", contentType: "text/html", text: "<html>" },
    { kind: "no-answer", isPortal: true },
  ],
  ["511 is a network's own, whatever it says", { status: 511 }, { kind: "no-answer", isPortal: true }],
  [
    "a proxy's page says that the server fails",
    { status: 502, contentType: "text/html", text: "<html>" },
    { kind: "broken", status: 502 },
  ],
  [
    "JSON that was cut short is none, and no portal's",
    { text: record.slice(0, 9) },
    { kind: "no-answer", isCut: true },
  ],
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
