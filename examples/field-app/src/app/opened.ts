import type { FieldError, Problem, ResourceType } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { type RecordOf, useParked, useRecord } from "@fieldroll/sync/react";
import { useOnce } from "./use-once.ts";

/** What an edit form is filled from: the record as it was when the screen opened, and what the server refused of it. */
export interface Opened<T> {
  readonly held: Held<T>;
  /** The faults of a parked record, `field` being a JSON pointer. */
  readonly refused: readonly FieldError[];
}

export type Opening<T> =
  | { readonly state: "loading" }
  | { readonly state: "ready"; readonly opened: Opened<T> }
  | { readonly state: "failed"; readonly problem: Problem };

/** Opens a record for editing; it stays as it was, however the record changes afterwards. */
export function useOpened<T extends ResourceType>(type: T, reference: string): Opening<RecordOf[T]> {
  const loaded = useRecord(type, reference);
  const parked = useParked();
  const known =
    parked.state === "ready" ? parked.value.find((item) => item.reference === reference) : undefined;
  const isKnown = loaded.state === "ready" && parked.state !== "loading";
  const opened = useOnce(isKnown ? { held: loaded.value, refused: known?.errors ?? [] } : undefined);
  if (opened) return { state: "ready", opened };
  return loaded.state === "failed" ? loaded : { state: "loading" };
}
