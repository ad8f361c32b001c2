import { applyMergePatch, type JsonObject, type ResourceType } from "@fieldroll/core";
import { sameContent, takesPhoto, withPhotoOf } from "./content.ts";
import type { OutboxEntry } from "./entry.ts";
import { canMove } from "./moves.ts";

/** What one request says of a record, and which edits that covers; `parts`: all of them but for their photo. */
export interface Step {
  readonly sent: JsonObject;
  readonly covers: readonly string[];
  readonly parts?: readonly string[];
}

/**
 * How far one request goes. Enrolled, then paused, then exited is one move for a person who did all three offline, but a
 * state machine that knows no direct way has to be told in steps: the longest start of the edits that is one legal move.
 */
export function nextStep(entry: OutboxEntry, local: JsonObject): Step {
  const all: Step = { sent: local, covers: entry.edits.map((edit) => edit.id) };
  if (entry.type !== "ProgramMembership" || moveFits(entry.type, entry.base, local)) return all;
  let state: JsonObject = entry.base ?? {};
  let longest: Step | null = null;
  for (const [index, edit] of entry.edits.entries()) {
    state = applyMergePatch(state, edit.patch) as JsonObject;
    const covers = entry.edits.slice(0, index + 1).map((covered) => covered.id);
    if (moveFits(entry.type, entry.base, state)) longest = { sent: movedAs(local, state), covers };
  }
  return longest && !(entry.base && sameContent(entry.base, longest.sent)) ? longest : all;
}

/** A record as far moved as another copy of it: all else is as it is shown, for the edits themselves say what was decided against since. */
function movedAs(record: JsonObject, other: JsonObject): JsonObject {
  const isOfMove = ([name]: readonly [string, unknown]) =>
    ["status", "exitDate", "exitReason"].includes(name);
  const rest = Object.entries(record).filter((member) => !isOfMove(member));
  return Object.fromEntries([...rest, ...Object.entries(other).filter(isOfMove)]);
}

/** The same without the photo, which is left for a request of its own. */
export function withoutPhoto({ base, edits }: OutboxEntry, step: Step): Step {
  const sent = withPhotoOf(step.sent, base);
  if (sameContent(sent, step.sent)) return step;
  const taken = edits.filter((edit) => takesPhoto({ edits: [edit] })).map(({ id }) => id);
  const covers = step.covers.filter((id) => !taken.includes(id));
  return { sent, covers, parts: step.covers.filter((id) => taken.includes(id)) };
}

function moveFits(type: ResourceType, from: JsonObject | null, to: JsonObject): boolean {
  return type !== "ProgramMembership" || canMove(from?.status ?? null, to.status ?? null);
}
