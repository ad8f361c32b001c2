import type { ProblemKind } from "@fieldroll/core";
import { texts } from "../texts.ts";

const absent: readonly ProblemKind[] = ["not-found", "gone", "bad-request", "validation"];

/**
 * What a screen says in place of a record that it could not open.
 *
 * @param isGivenUp whether it is a registration that was given up here
 */
export function missingText(
  kind: ProblemKind,
  isGivenUp = false,
): { readonly title: string; readonly text: string } {
  if (isGivenUp && absent.includes(kind)) {
    return { title: texts.app.notFoundTitle, text: texts.parked.nothingLeft };
  }
  if (absent.includes(kind)) return { title: texts.app.notFoundTitle, text: texts.app.notFound };
  return { title: texts.app.unreadableTitle, text: texts.app.unreadable };
}
