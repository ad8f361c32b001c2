import type { ResourceType } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { type Loaded, type RecordOf, useRecord } from "@fieldroll/sync/react";
import { useState } from "react";

/** A record while it is shown; `last` is what it was before it left the device, where it did so under the person's eyes. */
export function useRecordWithLast<T extends ResourceType>(
  type: T,
  reference: string,
): { readonly loaded: Loaded<Held<RecordOf[T]>>; readonly last: Held<RecordOf[T]> | null } {
  const loaded = useRecord(type, reference);
  const [last, setLast] = useState<Held<RecordOf[T]> | null>(null);
  if (loaded.state === "ready" && loaded.value !== last) setLast(loaded.value);
  return { loaded, last };
}
