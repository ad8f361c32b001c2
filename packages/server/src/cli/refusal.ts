/** Ends the command with a message for the operator: what was wrong, where, and what to do next. */
export class CommandRefusal extends Error {
  override readonly name = "CommandRefusal";
}

/** The message of anything thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
