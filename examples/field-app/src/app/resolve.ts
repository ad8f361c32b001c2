import { type FieldError, type JsonObject, referenceTo } from "@fieldroll/core";
import type { ParkedRecord, Resolution } from "@fieldroll/sync";
import { useFieldClient } from "@fieldroll/sync/react";
import { type Route, recordRoute } from "../route.ts";
import { texts } from "../texts.ts";
import { type Telling, useFrame } from "./context.ts";
import { problemFaults } from "./form.ts";

/** Runs a resolution; on success leads to the record. */
export function useResolve(parked: ParkedRecord): (resolution: Resolution) => Promise<readonly FieldError[]> {
  const client = useFieldClient();
  const { go } = useFrame();
  return async (resolution) => {
    const before = client.status.current.parked;
    const outcome = await client.resolve(parked.reference, resolution);
    if (!outcome.ok) return problemFaults(outcome.problem, () => "");
    const reference = decidedReference(parked, resolution);
    go(nextRoute(reference, resolution), saidOf(resolution, before));
    return [];
  };
}

/** What is sent again is not on its way any more once it is refused again, which may come before the status tells of it. */
function saidOf({ kind }: Resolution, before: number): Telling {
  const done = texts.parked.done[kind];
  return kind === "retry" ? ({ parked }) => (parked < before ? done : undefined) : done;
}

function decidedReference({ type, reference, theirs }: ParkedRecord, { kind }: Resolution): string {
  return kind === "adopt" && theirs ? referenceTo(type, theirs as JsonObject) : reference;
}

function nextRoute(reference: string, { kind }: Resolution): Route {
  return kind === "choose" || kind === "adopt" ? recordRoute(reference) : { screen: "sync" };
}
