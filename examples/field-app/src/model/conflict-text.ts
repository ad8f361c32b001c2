import { type Individual, isJsonObject, type Json, type JsonObject, parseReference } from "@fieldroll/core";
import { texts } from "../texts.ts";
import { countryName } from "./country.ts";
import { addressLines, birthLine, dayText, nameText } from "./person-text.ts";
import { nameOrKind } from "./unknown.ts";

/** Finds the words for a reference, such as a member's name. */
export type NameOf = (reference: string) => string | undefined;

/** What a JSON pointer into a record is called in front of a person. */
export function fieldLabel(path: string): string {
  const [first = "", ...rest] = path.split("/").slice(1);
  const top = texts.fields[first] ?? spelled(first);
  const last = rest.filter((part) => !/^(\d+|-)$/.test(part)).at(-1);
  if (last === undefined) return top;
  const exact = texts.fields[`${first}/${last}`];
  if (exact) return exact;
  return `${top}: ${(texts.fields[`*/${last}`] ?? spelled(last)).toLowerCase()}`;
}

/** One value of a record in words, never as JSON. */
export function valueText(path: string, value: unknown, nameOf: NameOf = () => undefined): string {
  if (value === undefined || value === null || value === "") return texts.app.notGiven;
  if (typeof value === "boolean") return value ? texts.values.yes : texts.values.no;
  if (typeof value === "number") return String(value);
  if (typeof value === "string") return wordText(path, value, nameOf);
  if (Array.isArray(value)) {
    return value.map((item) => valueText(path, item, nameOf)).join("; ") || texts.app.none;
  }
  return isJsonObject(value) ? objectText(path, value, nameOf) : texts.app.notGiven;
}

function wordText(path: string, value: string, nameOf: NameOf): string {
  if (value.startsWith("data:")) return texts.values.photo;
  if (/^\d{4}-\d{2}-\d{2}$/.test(value)) return dayText(value);
  if (path === "/status") return texts.enrollment.statuses[value] ?? value;
  if (path.startsWith("/address/") && path.endsWith("/country")) return countryName(value);
  if (path === "/groupType") return (texts.household.groupTypes as Record<string, string>)[value] ?? value;
  return parseReference(value).ok ? nameOrKind(nameOf(value), value) : value;
}

/** What is decided together by its first path; other objects by what they hold: a concept, a reference, a member, an identifier or phone, an address, a name, a period. */
function objectText(path: string, value: JsonObject, nameOf: NameOf): string {
  if (path === "/birthDate") return birthLine(value as Pick<Individual, "birthDate" | "birthDateEstimated">);
  if (path === "/status") return exitText(value);
  if (Array.isArray(value.coding)) return codingText(path, value.coding[0], value.text);
  if (isJsonObject(value.entity)) return memberText(path, value, nameOf);
  if (typeof value.reference === "string") {
    const { reference, display } = value;
    return nameOrKind(nameOf(reference) ?? (typeof display === "string" ? display : undefined), reference);
  }
  if (typeof value.value === "string") return value.value;
  if (path.startsWith("/name")) return nameText(value);
  if (path.startsWith("/address")) return addressLines(value).join(", ") || texts.app.notGiven;
  if ("start" in value || "end" in value) return periodText(value);
  if (typeof value.text === "string") return value.text;
  return Object.entries(value)
    .map(([member, inner]) => `${fieldLabel(`/${member}`)}: ${valueText(`${path}/${member}`, inner, nameOf)}`)
    .join("; ");
}

function exitText({ status, exitDate, exitReason }: JsonObject): string {
  const said = valueText("/status", status);
  const dated = typeof exitDate === "string" ? texts.enrollment.on(said, dayText(exitDate)) : said;
  return typeof exitReason === "string" ? `${dated}: ${exitReason}` : dated;
}

function codingText(path: string, coding: Json | undefined, text: Json | undefined): string {
  const { code, display } = isJsonObject(coding) ? coding : {};
  const words = path.startsWith("/gender") ? texts.genders : texts.roles;
  const ours = typeof code === "string" ? words[code] : undefined;
  return String(ours ?? text ?? display ?? code ?? texts.app.notGiven);
}

function memberText(path: string, member: JsonObject, nameOf: NameOf): string {
  const parts = [valueText(path, member.entity, nameOf)];
  if (member.role !== undefined) parts.push(valueText(`${path}/role`, member.role, nameOf).toLowerCase());
  if (member.inactive === true) parts.push(texts.values.left);
  return parts.join(", ");
}

function periodText(period: JsonObject): string {
  const start = typeof period.start === "string" ? `${texts.values.from} ${dayText(period.start)}` : "";
  const end = typeof period.end === "string" ? `${texts.values.until} ${dayText(period.end)}` : "";
  return [start, end].filter(Boolean).join(" ");
}

function spelled(member: string): string {
  const words = member.replaceAll(/([a-z])([A-Z])/g, "$1 $2").toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The value at a JSON pointer, or `undefined`. */
export function valueAt(record: unknown, path: string): unknown {
  let at: unknown = record;
  for (const part of path.split("/").slice(1)) {
    const member = part.replaceAll("~1", "/").replaceAll("~0", "~");
    at = Array.isArray(at) ? at[Number(member)] : isJsonObject(at) ? at[member] : undefined;
  }
  return at;
}
