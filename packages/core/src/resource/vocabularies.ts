import { isJsonObject } from "../json.ts";
import type { SchemaContext, Vocabulary } from "./context.ts";
import type { Report } from "./rule.ts";

/** The vocabulary of `gender`. */
export const genderSystem = "urn:iso:std:iso:5218";

/** ISO 5218: not known, male, female, not applicable. */
export const genderCodes: readonly string[] = ["0", "1", "2", "9"];

/** The roles of a group's members: contract section 2. */
export const relationshipCodes: readonly string[] = [
  "head",
  "spouse",
  "child",
  "child_in_law",
  "grandchild",
  "parent",
  "parent_in_law",
  "grandparent",
  "sibling",
  "other_relative",
  "non_relative",
];

/** The system of a group member's role. */
export function relationshipSystem(namespace: string): string {
  return `urn:${namespace}:vocab:relationship`;
}

/** The key under which a deployment lists the identifier systems that it accepts. */
export function identifierSystemList(namespace: string): string {
  return `urn:${namespace}:vocab:identifier-system`;
}

/** The vocabulary of a system: the deployment's, else the contract's; `undefined` when it is open. */
export function vocabularyOf(system: string, context: SchemaContext): Vocabulary | undefined {
  const { vocabularies = {}, namespace } = context;
  if (Object.hasOwn(vocabularies, system)) return vocabularies[system];
  if (system === genderSystem) return { codes: genderCodes };
  if (system === relationshipSystem(namespace)) return { codes: relationshipCodes };
  return undefined;
}

/** Reports, anywhere below a value, each coding whose system is a closed list without its code. */
export function checkCodings(value: unknown, context: SchemaContext, report: Report): void {
  visit(value, [], (coding, path) => {
    const vocabulary = vocabularyOf(coding.system, context);
    if (!vocabulary || vocabulary.open || vocabulary.codes.includes(coding.code)) return;
    report(
      [...path, "code"],
      "invalid_code",
      `must be one of ${listed(vocabulary.codes)} of ${coding.system}`,
    );
  });
}

/** Reports a concept that is not told by exactly one coding of the system it must be told in. */
export function checkBound(concept: unknown, system: string, report: Report): void {
  if (!isJsonObject(concept)) return;
  const codings: readonly unknown[] = Array.isArray(concept.coding) ? concept.coding : [];
  const readable = codings.filter(isJsonObject).filter((coding) => typeof coding.system === "string");
  if (readable.length < codings.length) return;
  const bound = readable.filter((coding) => coding.system === system).length;
  if (bound !== 1)
    report(["coding"], "invalid_code", `must have one coding of the system ${system}, not ${bound}`);
}

type Path = readonly (string | number)[];

function visit(
  value: unknown,
  path: Path,
  seen: (coding: { system: string; code: string }, path: Path) => void,
): void {
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) visit(item, [...path, index], seen);
    return;
  }
  if (!isJsonObject(value)) return;
  for (const [name, item] of Object.entries(value)) {
    if (name === "coding" && Array.isArray(item)) visitCodings(item, [...path, name], seen);
    else visit(item, [...path, name], seen);
  }
}

function visitCodings(codings: readonly unknown[], path: Path, seen: Parameters<typeof visit>[2]): void {
  for (const [index, coding] of codings.entries()) {
    if (!isJsonObject(coding)) continue;
    const { system, code } = coding;
    if (typeof system === "string" && typeof code === "string") seen({ system, code }, [...path, index]);
  }
}

/** The codes of a vocabulary for people; of a long one, the first. */
export function listed(codes: readonly string[]): string {
  const most = 30;
  return codes.length > most
    ? `${codes.slice(0, most).join(", ")} and ${codes.length - most} more`
    : codes.join(", ");
}
