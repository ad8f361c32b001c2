import type { FrozenRequest } from "../model/entry.ts";

/** How long a server knows a request by its key, less a day that clocks may be off by, in milliseconds: contract section 1, `Idempotency-Key`. */
const remembered = 179 * 24 * 60 * 60_000;

/** Whether the server may not know any more that it has performed a request. */
export function isForgotten({ frozenAt, serverAt = frozenAt }: FrozenRequest, serverNow: Date): boolean {
  return serverNow.getTime() - Date.parse(serverAt) > remembered;
}
