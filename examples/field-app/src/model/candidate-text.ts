import type { Individual } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { personLine, placeText } from "./person-text.ts";

/** What tells one person from another in a choice: age and gender, the place, and the households already lived in. */
export function candidateText(person: Individual, today: string, households: readonly string[]): string {
  const belongs = households.length > 0 ? texts.member.belongsTo(households.join(", ")) : "";
  return [personLine(person, today), placeText(person.address), belongs].filter(Boolean).join(" · ");
}
