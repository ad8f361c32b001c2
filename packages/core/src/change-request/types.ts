import type { z } from "zod";
import type { JsonObject } from "../json.ts";
import type { Outcome } from "../problem.ts";
import type { RegistryView, WriteOptions } from "../registry/types.ts";

export const changeRequestStates = [
  "draft",
  "pending",
  "approved",
  "applied",
  "rejected",
  "revision",
] as const;
export type ChangeRequestState = (typeof changeRequestStates)[number];

/** A kind of change that a deployment accepts: contract section 6. */
export interface ChangeRequestType {
  readonly name: string;
  readonly schema: z.ZodType;
  /** Makes the change with the rights of the one who applies it. Answers what it was about. */
  apply(data: JsonObject, context: ApplyContext): Promise<Outcome<{ readonly registrantExtId?: string }>>;
  /** Applied at once, without anybody's approval. */
  readonly auto?: boolean;
}

export interface ApplyContext {
  readonly view: RegistryView;
  readonly namespace: string;
  /** The same at each try of one change request: idempotency keys and identifiers are made of it. */
  readonly changeRequestId: string;
  readonly newId: () => string;
}

export interface ChangeRequest {
  readonly ext_id: string;
  readonly model: string;
  readonly type: string;
  readonly status: ChangeRequestState;
  readonly registrant_ext_id?: string;
  readonly submitted_at: string;
}

export interface ChangeRequestVerbs {
  /** `{type, data, draft?}`. */
  submit(
    body: unknown,
    options?: WriteOptions,
  ): Promise<Outcome<{ readonly record: ChangeRequest; readonly replayed: boolean }>>;
  read(extId: string): Promise<Outcome<ChangeRequest>>;
  approve(extId: string, options?: WriteOptions): Promise<Outcome<ChangeRequest>>;
  reject(
    extId: string,
    body?: { readonly reason?: string },
    options?: WriteOptions,
  ): Promise<Outcome<ChangeRequest>>;
  apply(extId: string, options?: WriteOptions): Promise<Outcome<ChangeRequest>>;
  /** pending → revision → draft, and draft → pending again, with other data when given. */
  move(
    extId: string,
    to: "revision" | "draft" | "pending",
    body?: { readonly data?: unknown },
  ): Promise<Outcome<ChangeRequest>>;
}
