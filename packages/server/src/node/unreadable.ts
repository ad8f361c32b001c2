import { randomUUID } from "node:crypto";
import { type IncomingMessage, maxHeaderSize, type ServerResponse, STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Problem } from "@fieldroll/core";
import { RequestError } from "@hono/node-server";
import { rawPath } from "../http/address.ts";
import { Answer } from "../http/answer.ts";
import { problemAnswer } from "../http/problem-details.ts";
import { printed, standardHeaders } from "../http/standard-headers.ts";
import type { ArrivingRequest, ArrivingServer } from "./arriving-request.ts";
import type { Arrivals } from "./early-answers.ts";
import type { Linger } from "./linger.ts";
import type { GivenUp } from "./unfinished-bodies.ts";

/** Why no handler gets a request, with the status that HTTP has for it. */
interface Fault {
  readonly status: number;
  readonly kind: Problem["kind"];
  readonly detail: string;
  /** What is at fault, where it has a name. */
  readonly field?: string;
  readonly rateLimit?: Problem["rateLimit"];
}

const malformed = (detail: string, field = ""): Fault => ({
  status: 400,
  kind: "bad-request",
  detail,
  field,
});

const slow: Fault = {
  status: 408,
  kind: "bad-request",
  detail: "The request did not arrive in time. Send it again.",
};
const crowded: Fault = {
  status: 429,
  kind: "too-many-requests",
  detail:
    "Unfinished bodies take more memory than they may, and this one had been on its way for long. Send fewer at a time, or this one again in 5 seconds.",
  rateLimit: { limit: 0, seconds: 5 },
};

/** By the codes of Node's parser; anything else is no HTTP at all. */
const faults: Readonly<Record<string, Fault>> = {
  HPE_HEADER_OVERFLOW: {
    status: 431,
    kind: "payload-too-large",
    detail: `The headers are larger than ${maxHeaderSize} bytes. Send fewer or shorter ones.`,
  },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: {
    status: 413,
    kind: "payload-too-large",
    detail: "The extensions of the body's chunks are too large. Leave them out.",
  },
  ERR_HTTP_REQUEST_TIMEOUT: slow,
  HPE_INVALID_URL: malformed(
    "The request's address has bytes that may not stand in it. Percent-encode whatever is not ASCII.",
  ),
  HPE_INVALID_METHOD: malformed("The request's method is unknown. GET /metadata lists what is possible."),
};

const unaddressed = malformed(
  "The request's Host header or address is missing, malformed or there twice. Name the server in it, once.",
  "Host",
);
const unmet: Fault = {
  status: 417,
  kind: "bad-request",
  detail: "The header Expect asks for what this server does not do. Leave it out, or send 100-continue.",
  field: "Expect",
};
const failed: Fault = { status: 500, kind: "internal", detail: "The request could not be handled." };

/** What refusals are told with, and how connections end after them. */
export interface Refusing {
  readonly namespace: string;
  readonly linger: Linger;
  readonly arrivals: Arrivals;
}

/**
 * Answers what Node's parser refuses, as a problem like any other (RFC 9457), and ends the connection: where the next
 * request begins is not known any more.
 */
export function refuseUnparsed(server: ArrivingServer, refusing: Refusing): void {
  server.on("clientError", (error: NodeJS.ErrnoException & { rawPacket?: Buffer }, socket: Socket) => {
    if (refusing.linger.isClosed(socket)) return;
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const fault = faults[error.code ?? ""] ?? malformed("The request is not HTTP/1.1 as RFC 9112 has it.");
    endWith(socket, { fault, instance: targetOf(error.rawPacket) }, refusing);
  });
}

/** Answers a request of which the body is not waited for any longer, and ends the connection. */
export function refuseGivenUp(request: ArrivingRequest, why: GivenUp, refusing: Refusing): void {
  const fault = why === "stalled" ? slow : crowded;
  endWith(request.wire, { fault, instance: pathOf(request) }, refusing);
}

function endWith(
  socket: Socket,
  { fault, instance }: { readonly fault: Fault; readonly instance: string },
  { namespace, linger, arrivals }: Refusing,
): void {
  const request = arrivals.on(socket);
  if (isAnswering(socket)) socket.destroy();
  // The request that could not be read to its end may have had its answer.
  else if (request?.isAnswered) linger.close(socket);
  else linger.close(socket, messageOf(refusal(fault, { namespace, instance, close: true })));
  request?.destroy();
}

/** Answers a request that expects what HTTP/1.1 does not have (RFC 9110 section 10.1.1), and reads no more of it. */
export function refuseExpectations(server: ArrivingServer, namespace: string): void {
  server.on("checkExpectation", (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const { status, headers, body } = refusal(unmet, { namespace, instance: pathOf(incoming), close: true });
    outgoing.writeHead(status, { ...headers, "Content-Length": Buffer.byteLength(body ?? "") }).end(body);
  });
}

/**
 * Answers a request that got no answer from the handler: of which no address can be made, such as one without a `Host`
 * or with one that is none, or on which the handler itself failed.
 */
export function unanswered(error: unknown, incoming: IncomingMessage, namespace: string): Response {
  const fault = error instanceof RequestError ? unaddressed : failed;
  return printed(refusal(fault, { namespace, instance: pathOf(incoming), close: false }), {});
}

function pathOf({ url }: IncomingMessage): string {
  return rawPath(`http://host${url?.startsWith("/") ? url : "/"}`);
}

/** An answer of which the beginning is sent can't be taken back. Node keeps it where only its own handler looks. */
function isAnswering(socket: Socket): boolean {
  const { _httpMessage: answer } = socket as { _httpMessage?: { readonly headersSent: boolean } | null };
  return answer?.headersSent === true;
}

function refusal(
  { kind, detail, status, rateLimit, field = "" }: Fault,
  { namespace, instance, close }: { namespace: string; instance: string; close: boolean },
): Answer {
  const headers: Record<string, string> = close ? { Connection: "close" } : {};
  // Of a bad request, contract section 8 has the fault in `errors` as well.
  const errors = kind === "bad-request" && [{ field, code: "malformed_request", message: detail }];
  const problem = { kind, detail, ...(errors && { errors }), ...(rateLimit && { rateLimit }) };
  const answer = problemAnswer(problem, { namespace, instance, status, headers });
  return new Answer(status, { ...standardHeaders(new Date(), randomUUID()), ...answer.headers }, answer.body);
}

/** The path in the first line of what was sent, where there is one. Bytes beyond ASCII come out percent-encoded. */
function targetOf(packet: Buffer | undefined): string {
  const line = packet?.toString("utf8", 0, 2048).split("\n", 1)[0] ?? "";
  return encodeURI(/^[A-Za-z]+ (\/[^\s?#]*)/.exec(line)?.[1] ?? "/").replaceAll("%25", "%");
}

function messageOf({ status, headers, body }: Answer): string {
  const told = { ...headers, "Content-Length": String(Buffer.byteLength(body ?? "")) };
  const lines = Object.entries(told).map((pair) => pair.join(": "));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}`, ...lines, "", body].join("\r\n");
}
