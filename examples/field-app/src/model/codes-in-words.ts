import { membershipStatuses } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { fieldLabel } from "./conflict-text.ts";
import { dayText } from "./person-text.ts";

/** A day as records hold it, and no part of an identifier. */
const day = /(?<![\w-])\d{4}-\d{2}-\d{2}(?![\w-])/g;

/** What the registry says of an enrollment's statuses: other sentences have the same words, and mean no status. */
const ofStatuses = /\bmove from\b|\bstart in\b|\bwith the status\b/;
const status = new RegExp(`\\b(${membershipStatuses.join("|")})\\b`, "g");

/** A place in a record at the beginning of what is said of it, such as in "/birthDate: must not be after today". */
const place = /(?<![^\s;])(\/[A-Za-z][\w/~-]*): (?=\p{Ll})/gu;

/** A sentence of the registry's with the words of this app for the codes in it: days, statuses and places in a record. */
export function codesInWords(sentence: string): string {
  const said = ofStatuses.test(sentence)
    ? sentence.replace(status, (code) => `“${texts.enrollment.statuses[code] ?? code}”`)
    : sentence;
  return said.replace(day, dayText).replace(place, (_, pointer: string) => `${fieldLabel(pointer)} `);
}
