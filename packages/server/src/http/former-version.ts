import { Answer, answerOf } from "./answer.ts";
import type { Service } from "./exchange.ts";
import { problemAnswer } from "./problem-details.ts";

/** Where the interface of version 1 was: specification, "Versioning". */
export const formerRoot = "/api/v1";

/** Whether version 1 still answers, is refused with 410, or is not known at all: contract section 9. */
export type FormerVersionMode = "warn" | "gone" | "off";

/** A request to version 1. */
export interface FormerExchange {
  readonly service: Service;
  readonly request: Request;
  /** Path as sent: a problem's `instance`. */
  readonly path: string;
  readonly peer: string | undefined;
  readonly requestId: string;
  /** Guide from version 1 to version 2. */
  readonly migrationUrl: string;
}

/** Answers requests to version 1 while it still answers: `createV1` makes one. */
export type FormerVersion = (exchange: FormerExchange) => Promise<Response>;

export function isFormerPath(path: string): boolean {
  return path === formerRoot || path.startsWith(`${formerRoot}/`);
}

/** Browsers add a cookie or Basic credentials of version 1 to requests that another page makes, so the length of an answer must not tell. */
const uncompressed = "no-store, no-transform";

/** Answers a request to version 1 as the deployment has it. */
export async function answerFormer(exchange: FormerExchange): Promise<Answer> {
  const { service, path, migrationUrl } = exchange;
  const context = { namespace: service.namespace, instance: path };
  if (service.v1 === "warn" && service.formerVersion) {
    const { status, headers, body } = await answerOf(await service.formerVersion(exchange));
    return new Answer(status, { ...headers, "Cache-Control": uncompressed }, body);
  }
  if (service.v1 === "gone") {
    const detail = `Version 1 of this interface has ended. ${migrationUrl} says what takes its place.`;
    const headers = { Link: `<${migrationUrl}>; rel="deprecation"` };
    return problemAnswer({ kind: "gone", detail }, { ...context, headers });
  }
  const detail = "There is nothing at this path. GET /metadata lists what there is.";
  return problemAnswer({ kind: "not-found", detail }, context);
}
