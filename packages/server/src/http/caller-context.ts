import { type Caller, consentPurposes, failure, type Outcome, success } from "@fieldroll/core";
import type { Exchange } from "./exchange.ts";

const purposes: readonly string[] = consentPurposes;

/** What the request itself says of its caller: what the data is for, and the id under which the audit trail has it. */
export function withContext(
  caller: Caller,
  { request, requestId }: Pick<Exchange, "request" | "requestId">,
): Outcome<Caller> {
  const purpose = request.headers.get("X-Purpose")?.trim() || undefined;
  if (purpose !== undefined && !purposes.includes(purpose)) {
    const message = `must be one of ${purposes.join(", ")}`;
    const errors = [{ field: "X-Purpose", code: "invalid_header", message }];
    return failure({ kind: "bad-request", detail: `The header X-Purpose ${message}.`, errors });
  }
  return success({ ...caller, requestId, ...(purpose === undefined ? {} : { purpose }) });
}
