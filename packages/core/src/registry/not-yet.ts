import { failure, type Outcome } from "../problem.ts";

export async function notYet(): Promise<Outcome<never>> {
  return failure({ kind: "not-found", detail: "This is being built." });
}
