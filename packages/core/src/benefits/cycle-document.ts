import type { JsonObject } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import type { Document, StoredDocument } from "../store/port.ts";
import { modelOf } from "./ext-id.ts";
import type { Cycle, CycleState } from "./types.ts";

/** Where cycles are kept; the key of each is its `ext_id`. */
export const cycleCollection = "cycle";

/** A cycle at rest. */
export interface StoredCycle {
  readonly key: string;
  readonly version: number;
  readonly body: {
    /** Key of the program. */
    readonly program: string;
    readonly name: string;
    readonly sequence: number;
    readonly start_date: string;
    readonly end_date: string;
    readonly state: CycleState;
  };
}

/** Builds the document of a cycle: found by its program, in the order of `sequence`. */
export function cycleDocument({ key, version, body }: StoredCycle): Document {
  const entries = { program: [body.program], sequence: [String(body.sequence).padStart(9, "0")] };
  return { collection: cycleCollection, key, version, body: body as unknown as JsonObject, entries };
}

/** Reads a cycle back from its document. */
export function storedCycle({ key, version, body }: StoredDocument): StoredCycle {
  return { key, version, body: body as unknown as StoredCycle["body"] };
}

/** A cycle as the endpoints show it. */
export function cycleOf(settings: Pick<Settings, "namespace">, { key, body }: StoredCycle): Cycle {
  const { program, ...rest } = body;
  return {
    ext_id: key,
    model: modelOf(settings, "cycle"),
    program_ext_id: program,
    program_model: modelOf(settings, "program"),
    ...rest,
  };
}
