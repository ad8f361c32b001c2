import { failure, type Outcome, success } from "../problem.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Caller } from "./types.ts";

/** The scope that opens a type of resource for reading or writing: contract section 7. */
export function scopeOf(type: ResourceType, access: "read" | "write"): string {
  return type === "Individual" || type === "Group" ? `registry:${access}` : `program:${access}`;
}

/** Refuses a caller without the scope, before anything is looked up. */
export function requireScope(caller: Caller, scope: string): Outcome<void> {
  if (caller.scopes.includes(scope)) return success(undefined);
  return failure({
    kind: "authorization",
    detail: `This needs the scope ${scope}, which the access token does not have. Ask for a token with it, or, where the client may not have it, the operator of the register.`,
    missingScope: scope,
  });
}

/**
 * Refuses what this deployment has not (specification rule 3), then a caller without the scope; both before anything is
 * looked up.
 */
export function mayUse(
  { programs }: { readonly programs: boolean },
  caller: Caller,
  { type, access }: { readonly type: ResourceType; readonly access: "read" | "write" },
): Outcome<void> {
  if (!programs && (type === "Program" || type === "ProgramMembership")) {
    return failure({ kind: "not-found", detail: `This deployment has no programs, and so no ${type}.` });
  }
  return requireScope(caller, scopeOf(type, access));
}

/** Every scope of the contract: what the embedding program itself may do. */
export const allScopes: readonly string[] = ["registry", "program", "entitlement", "payment"].flatMap(
  (part) => [`${part}:read`, `${part}:write`],
);

/** The embedding program as a caller: all scopes, acting for the operator of the registry. */
export const operator: Caller = { clientId: "operator", scopes: allScopes, legalBasis: "public_task" };
