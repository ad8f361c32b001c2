import { connect } from "node:net";
import { routeTable } from "@fieldroll/server";
import { hostileBody } from "./bodies.ts";
import { type HostileClient, requestToken } from "./clients.ts";
import { type Ledger, timed } from "./ledger.ts";
import { noisyPhoto } from "./photo.ts";
import type { Random } from "./random.ts";
import type { HostedServer } from "./server.ts";

/** What an attack has at hand. */
export interface Attacker {
  readonly server: Pick<HostedServer, "api" | "origin">;
  readonly tokens: Readonly<Record<HostileClient, string>>;
  readonly random: Random;
  readonly ledger: Ledger;
  /** Addresses of records that are there: `<system>|<value>`. */
  readonly people: readonly string[];
  readonly groups: readonly string[];
}

type Attack = (attacker: Attacker) => Promise<unknown>;

/** So many people get photos, few enough that the database does not grow without end. The ordinary load works on others. */
export const attacked = 40;

/** Longer than any answer may take; then the attacker goes on. */
const patience = 60_000;
const whoever = ["whole", "narrow", "partner", "stranger"] as const;
const writes = routeTable({ programs: true }).filter(({ method, at }) => method !== "GET" && at === "api");

const searches = [
  "Individual?group=none&limit=500",
  "Individual?group=none&role=head&limit=500&_total=accurate",
  "Individual?_sort=name&limit=500",
  "Individual?_sort=-birthdate&name=a&limit=500",
  "Individual?name=a&limit=500&_total=accurate",
  "Individual?name=zzzz&address=q&limit=500",
  "Individual?role=grandparent&limit=500",
  "Individual?birthdate=gt1850-01-01&gender=1&_sort=name",
  "Individual?limit=500&_elements=photo",
  "Individual?_lastUpdated=gt2000-01-01T00:00:00Z&_sort=_lastUpdated&limit=500",
  "Group?name=a&limit=500&_total=accurate",
  "Group?member=Individual/urn:x|nobody",
  "ProgramMembership?status=enrolled&_sort=enrollmentDate&limit=500",
  "$changes?feed=all&limit=500",
  "$changes?feed=area:PH&limit=500",
  "registry/registrant?limit=500",
  "entitlements?limit=500",
  "change_request?limit=500",
] as const;

const references = [
  "a",
  "/|a",
  "",
  "Individual/",
  "Individual/x",
  `Individual/${"x".repeat(5000)}|1`,
  "Group/|",
  7,
  null,
  {},
] as const;

const attacks: readonly [Attack, ...Attack[]] = [
  bodies,
  bodies,
  scans,
  scans,
  bundleOfScans,
  hangUp,
  tokenFlood,
  malformedReference,
  malformedRequest,
  stalledBody,
  photos,
  history,
];

/** Makes attacks of all kinds, or of one, one after the other, until told to stop. */
export async function attack(attacker: Attacker, goesOn: () => boolean, only?: string): Promise<void> {
  const [first, ...others] = attacks.filter(({ name }) => (only ?? name) === name);
  if (!first)
    throw new Error(`There is no attack ${only}. There are: ${attacks.map(({ name }) => name).join(", ")}.`);
  while (goesOn()) await attacker.random.of([first, ...others])(attacker);
}

function send(
  { server, tokens, ledger, random }: Attacker,
  what: string,
  { path, method = "GET", body, type = "application/json", client = random.of(whoever), signal }: Sent,
) {
  return timed(ledger, `${what} ${client}`, () =>
    fetch(`${server.api}/${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${tokens[client]}`,
        ...(body !== undefined && { "Content-Type": type }),
        ...(method === "PATCH" || method === "PUT" ? { "If-Match": "*" } : {}),
      },
      ...(body !== undefined && { body }),
      signal: signal ?? AbortSignal.timeout(patience),
    }),
  );
}

interface Sent {
  readonly path: string;
  readonly method?: string;
  readonly body?: string;
  readonly type?: string;
  readonly client?: HostileClient;
  readonly signal?: AbortSignal;
}

function bodies(attacker: Attacker) {
  const { random, people } = attacker;
  const { method, template } = random.of(writes as unknown as [(typeof writes)[number]]);
  const path = template
    .slice(1)
    .replace("{address}", encodeURIComponent(people[random.below(people.length)] ?? ""))
    .replace(/\{\w+\}/, "0190a5b0-0000-7000-8000-000000000000");
  const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
  return send(attacker, `${method} ${template}`, { path, method, body: hostileBody(random), type });
}

function scans(attacker: Attacker) {
  const path = attacker.random.of(searches);
  return send(attacker, `GET ${path}`, { path });
}

function bundleOfScans(attacker: Attacker) {
  const entry = Array.from({ length: 100 }, () => ({
    request: { method: "GET", url: attacker.random.of(searches) },
  }));
  const body = JSON.stringify({
    resourceType: "Bundle",
    type: attacker.random.of(["batch", "transaction"]),
    entry,
  });
  return send(attacker, "POST $batch of 100 scans", { path: "$batch", method: "POST", body });
}

/** Asks for much, and goes away before the answer. */
function hangUp(attacker: Attacker) {
  const signal = AbortSignal.timeout(1 + attacker.random.below(100));
  const path = attacker.random.of(searches);
  return send(attacker, "hang up", { path, signal });
}

function tokenFlood({ server, random, ledger }: Attacker) {
  const one = () =>
    timed(ledger, "POST /oauth2/token", () =>
      requestToken(server.origin, `nobody-${random.below(1e9)}`, "x"),
    );
  return Promise.all(Array.from({ length: 50 }, one));
}

function malformedReference(attacker: Attacker) {
  const { random, groups } = attacker;
  const reference = random.of(references as unknown as [(typeof references)[number]]);
  const group = encodeURIComponent(groups[random.below(groups.length)] ?? "");
  const bodiesOf = {
    ProgramMembership: {
      type: "ProgramMembership",
      program: { reference },
      beneficiary: { reference },
      status: "draft",
    },
    [`Group/${group}/$add-member`]: { entity: { reference } },
    [`Group/${group}/$remove-member`]: { entity: { reference } },
    "Group/$merge": { source: { reference }, target: { reference } },
    change_request: { type: "grant_consent", data: { subject: { reference } } },
  };
  const [path, body] = random.of(Object.entries(bodiesOf) as unknown as [[string, object]]);
  return send(attacker, `POST ${path.split("/").at(-1)} malformed`, {
    path,
    method: "POST",
    body: JSON.stringify(body),
  });
}

/** What no client of HTTP sends. */
function malformedRequest({ server, random, ledger }: Attacker) {
  const lines = [
    "GET /api/v2/metadata HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "TRACE /api/v2/metadata HTTP/1.1\r\nHost: a\r\n\r\n",
    `GET /${"a".repeat(15_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
    "POST /api/v2/Individual HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
    "GET /api/v2/Individual?cursor=%00%ff HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \u00e9\r\n\r\n",
    "\u0000\u0001\u0002\r\n\r\n",
  ] as const;
  const started = performance.now();
  return new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
    let received = "";
    socket.setTimeout(patience, () => socket.destroy());
    socket.on("data", (chunk) => {
      received += chunk.toString("latin1");
      socket.end();
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(received)?.[1] ?? 0);
      ledger.note({
        what: "malformed request",
        status,
        milliseconds: performance.now() - started,
        bytes: received.length,
      });
      resolve();
    });
    socket.write(random.of(lines), "latin1");
  });
}

/** Announces a large body, sends most of it, and stops. */
function stalledBody({ server, tokens }: Attacker) {
  return new Promise<void>((resolve) => {
    const socket = connect(Number(new URL(server.origin).port), "127.0.0.1");
    socket.on("error", () => undefined);
    socket.on("close", () => resolve());
    socket.write(
      `POST /api/v2/Individual HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${tokens.whole}\r\n` +
        "Content-Type: application/json\r\nContent-Length: 8000000\r\n\r\n",
    );
    socket.write("x".repeat(7_000_000));
    setTimeout(() => socket.destroy(), 2000);
  });
}

function photos(attacker: Attacker) {
  const { random, people } = attacker;
  const address = encodeURIComponent(people[random.below(attacked)] ?? "");
  const body = JSON.stringify({ photo: noisyPhoto(4_500_000) });
  const path = `Individual/${address}`;
  return send(attacker, "PATCH photo", {
    path,
    method: "PATCH",
    body,
    type: "application/merge-patch+json",
    client: "whole",
  });
}

function history(attacker: Attacker) {
  const { random, people } = attacker;
  const address = encodeURIComponent(people[random.below(attacked)] ?? "");
  return send(attacker, "GET $history", { path: `Individual/${address}/$history` });
}
