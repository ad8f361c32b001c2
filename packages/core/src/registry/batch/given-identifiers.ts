import { isJsonObject } from "../../json.ts";
import type { RecordAddress } from "../../resource/reference.ts";
import type { ResourceType } from "../../resource/types.ts";
import { identifiersOf } from "../record/stored.ts";

/** A write as far as it says how its record is called. */
export interface Naming {
  readonly type: ResourceType;
  readonly body: unknown;
  /** The internal key that a new record is to have. */
  readonly key?: string;
}

/** The identifiers that a write gives its record; an enrollment without one has the identifier that its key makes. */
export function givenIdentifiers({ type, body, key }: Naming, namespace: string): readonly RecordAddress[] {
  const own = isJsonObject(body) ? identifiersOf(body) : [];
  if (own.length > 0 || key === undefined || type !== "ProgramMembership") return own;
  return [{ system: `urn:${namespace}:program-membership`, value: key }];
}
