import type { z } from "zod";
import type { ListRequest } from "../benefits/types.ts";
import type { JsonObject } from "../json.ts";
import type { Outcome } from "../problem.ts";
import type { Idempotency, Page, RecordView, RegistryView, WriteOptions } from "../registry/types.ts";
import type { RecordAddress } from "../resource/reference.ts";
import type { ResourceType } from "../resource/types.ts";

export const changeRequestStates = [
  "draft",
  "pending",
  "approved",
  "applied",
  "rejected",
  "revision",
] as const;
export type ChangeRequestState = (typeof changeRequestStates)[number];

/**
 * A kind of change that a deployment accepts: contract section 6. Where `check` and `apply` refuse with `errors`, their
 * fields are pointers into the data.
 *
 * @example
 * const renameRegistrant: ChangeRequestType = {
 *   name: "rename_registrant",
 *   schema: z.strictObject({ registrant_ext_id: z.string(), name: z.string() }),
 *   apply: async ({ registrant_ext_id, name }, { view, idempotency }) => {
 *     const extId = String(registrant_ext_id);
 *     const renamed = await view.registrants.replace(extId, { name }, { idempotency: idempotency() });
 *     return renamed.ok ? success({ registrantExtId: extId }) : renamed;
 *   },
 * };
 */
export interface ChangeRequestType {
  readonly name: string;
  /** What it changes, in a sentence: told by `/openapi.json` and `/docs`. */
  readonly summary?: string;
  /**
   * What the data are. Arrays are declared by `list(element, most)`. A record that they name as `{"reference": "<Type>/<system>|<value>"}`, at any depth, stays the one that it was
   * when the request was stored: `check` and `apply` get the reference by an identifier that the record has by then.
   */
  readonly schema: z.ZodType;
  /** Refuses, when it is submitted, what the schema can't tell, such as a person who is not there. It changes nothing. */
  check?(data: JsonObject, context: CheckContext): Promise<Outcome<void>>;
  /**
   * Makes the change with the rights of the one who applies it. Answers what it was about. It may be called again after a
   * crash: writes that carry `context.idempotency` then happen once.
   */
  apply(data: JsonObject, context: ApplyContext): Promise<Outcome<Applied>>;
  /** Applied at once, without anybody's approval. */
  readonly auto?: boolean;
}

/** What an applied change was about. */
export interface Applied {
  readonly registrantExtId?: string;
  /** Members of the data that the request keeps no longer, because the record has them from now on, where they can be erased. */
  readonly forgets?: readonly string[];
}

/** What a type may look at before it decides. */
export interface CheckContext {
  readonly namespace: string;
  /** YYYY-MM-DD. */
  readonly today: string;
  /** Whether the caller is shown only a part of the register. What it does not see is for the reviewer to judge. */
  readonly isRestricted: boolean;
  /** Records as the caller sees them, whatever its scopes: for deciding, never for answering. */
  readonly lookup: RecordView;
  /** Whether a record, or the terms of a new consent, would be accepted, every fault told at its place in it. */
  validate(type: ResourceType | "Consent", body: unknown): Outcome<JsonObject>;
  /** The address of the record with an `ext_id`; one that leads nowhere when there is none. */
  addressOf(type: ResourceType, extId: string): Promise<RecordAddress>;
  /** The `ext_id` of the record that a Reference names. */
  extIdOf(reference: string): Promise<string | undefined>;
}

export interface ApplyContext extends CheckContext {
  readonly view: RegistryView;
  /** The same at each try of one change request. */
  readonly changeRequestId: string;
  /** A new UUIDv7. Identifiers made of it can't have been taken by anybody, as those could that are made of the request's id. */
  readonly newId: () => string;
  /**
   * Makes one write of the change happen once, however often the request is applied and by whom.
   *
   * @param step names the write, where a change has several
   */
  idempotency(step?: string): Idempotency;
}

/** A change that somebody asks for, and where it stands. */
export interface ChangeRequest {
  readonly ext_id: string;
  readonly model: string;
  readonly type: string;
  readonly status: ChangeRequestState;
  readonly registrant_ext_id?: string;
  /** UTC instant; of a draft, when it was made. */
  readonly submitted_at: string;
  /** Client id. */
  readonly submitted_by: string;
  /** Of the newest approval, rejection or wish for a revision: UTC instant, client id, and why. */
  readonly reviewed_at?: string;
  readonly reviewed_by?: string;
  readonly reason?: string;
  /** What it asks for: never in a list, and only where the caller may see it. */
  readonly data?: JsonObject;
}

/** Which requests to list. */
export interface ChangeRequestListRequest extends ListRequest {
  /** One of the states, or several separated by commas. */
  readonly status?: string;
  /** Name of a type, or several separated by commas. */
  readonly type?: string;
}

/** The answer to a write of a change request. */
export interface ChangeRequestWritten {
  readonly record: ChangeRequest;
  /** Counts the changes of the request. */
  readonly versionId: string;
  /** Whether this is the stored answer to an earlier request with the same idempotency key. */
  readonly replayed: boolean;
}

/**
 * What may be done with change requests. Every change of one that is there honours `ifMatch` when it is given: 409 `conflict`, also
 * where somebody else was faster.
 */
export interface ChangeRequestVerbs {
  /** `{type, data, draft?}`. */
  submit(body: unknown, options?: WriteOptions): Promise<Outcome<ChangeRequestWritten>>;
  read(extId: string): Promise<Outcome<ChangeRequest>>;
  /** As {@link ChangeRequestVerbs.read}, with the version. */
  disclose(extId: string): Promise<Outcome<{ readonly record: ChangeRequest; readonly versionId: string }>>;
  approve(extId: string, options?: WriteOptions): Promise<Outcome<ChangeRequestWritten>>;
  reject(
    extId: string,
    body?: { readonly reason?: string },
    options?: WriteOptions,
  ): Promise<Outcome<ChangeRequestWritten>>;
  apply(extId: string, options?: WriteOptions): Promise<Outcome<ChangeRequestWritten>>;
  /** In the order in which they were made, without their data. Callers bound by consent see their own. */
  list(request?: ChangeRequestListRequest): Promise<Outcome<Page<ChangeRequest>>>;
  /** `{data}` of a draft, or of one sent back for revision, which makes it a draft again. */
  replace(extId: string, body: unknown, options?: WriteOptions): Promise<Outcome<ChangeRequestWritten>>;
  /** draft → pending; one of an automatic type is applied at once, or stays a draft. */
  submitDraft(extId: string, options?: WriteOptions): Promise<Outcome<ChangeRequestWritten>>;
  /** pending → revision. */
  revise(
    extId: string,
    body?: { readonly reason?: string },
    options?: WriteOptions,
  ): Promise<Outcome<ChangeRequestWritten>>;
  /** Everything of a request, its data included, as {@link restore} takes it: for moving a registry. In process only. */
  copy(extId: string): Promise<Outcome<JsonObject>>;
  /** Records a copied request as it was; one that is there stays as it is. In process only. */
  restore(copy: unknown): Promise<Outcome<void>>;
}
