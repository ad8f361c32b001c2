import { isJsonObject, type Json, type JsonObject, pointer } from "../json.ts";

/** What one caller may see of one record, and why: contract section 3. */
export interface Visibility {
  /** `legal_basis`: consents do not bind the caller. `active`: a consent in force shows it. `none`: nothing does. */
  readonly basis: "legal_basis" | "active" | "none";
  /** Top-level members, or one dotted level (`name.family`); `type` and `identifier` are always in it unless hidden. */
  readonly fields: "all" | ReadonlySet<string>;
  /** Extensions by name. */
  readonly extensions: "all" | ReadonlySet<string>;
  /** The consents that show it, by id. */
  readonly consents: readonly string[];
  /** Their last day together (YYYY-MM-DD), where there is one. */
  readonly expires?: string;
}

/** What is seen, whatever the reason. */
export type Sight = Pick<Visibility, "fields" | "extensions">;

/** Sees everything, by law or by contract. */
export const wholeVisibility: Visibility = {
  basis: "legal_basis",
  fields: "all",
  extensions: "all",
  consents: [],
};

/** What is left when nothing shows a record, and the caller may know that it exists. */
export const identifiersOnly: Visibility = {
  basis: "none",
  fields: new Set(["type", "identifier"]),
  extensions: new Set(),
  consents: [],
};

/** Whether a field, top-level or one dotted level, is seen whole. Extensions are asked for as `extension.<name>`. */
export function sees({ fields, extensions }: Sight, field: string): boolean {
  const [top = field, ...below] = field.split(".");
  if (top === "extension")
    return extensions === "all" || (below[0] !== undefined && extensions.has(below[0]));
  return fields === "all" || fields.has(top) || fields.has(field);
}

/**
 * What a reader is shown of a record, where that is not all of it, as answers and feeds tell it: `all` core fields or each by name (one dotted
 * level), and `extension` for all extensions or `extension.<name>` for each. Says nothing of what the record has.
 */
export function shownFields({ fields, extensions }: Visibility): readonly string[] | undefined {
  if (fields === "all" && extensions === "all") return undefined;
  const named = extensions === "all" ? ["extension"] : [...extensions].map((name) => `extension.${name}`);
  return [...(fields === "all" ? ["all"] : fields), ...named];
}

/** The same as a header carries it: separated by commas, what is no ASCII percent-encoded. */
export function printShown(shown: readonly string[]): string {
  return shown.map(encodeURIComponent).join(",");
}

/** What {@link printShown} gave; a name that can't be decoded is left as it is. */
export function readShown(text: string): readonly string[] {
  return text.split(",").map((name) => {
    try {
      return decodeURIComponent(name.trim());
    } catch {
      return name.trim();
    }
  });
}

/** What a reader sees who is told that it is shown this: {@link shownFields} read back. */
export function sightFrom(shown: readonly string[]): Sight {
  const names = shown.flatMap((field) => (field.startsWith("extension.") ? [field.slice(10)] : []));
  return {
    fields: shown.includes("all") ? "all" : new Set(["type", "identifier", ...shown]),
    extensions: shown.includes("extension") ? "all" : new Set(names),
  };
}

/**
 * The part of a record, in stored form or rendered, that a caller may see. Of a record that nothing shows it says so in
 * `_consent`. Pure; the record itself when all of it is seen.
 */
export function visiblePart(
  record: JsonObject,
  visibility: Sight & Partial<Pick<Visibility, "basis">>,
): JsonObject {
  if (visibility.fields === "all" && visibility.extensions === "all") return record;
  const part: Record<string, Json> = {};
  for (const [member, value] of Object.entries(record)) {
    const seen =
      member === "extension" ? seenExtensions(value, visibility) : seenValue(member, value, visibility);
    if (seen !== undefined) part[member] = seen;
  }
  if (visibility.basis === "none") part._consent = { status: "none" };
  return part;
}

function seenValue(member: string, value: Json, visibility: Sight): Json | undefined {
  if (sees(visibility, member)) return value;
  if (Array.isArray(value)) {
    const items = value.flatMap((item: Json) => seenMembers(member, item, visibility) ?? []);
    return items.length > 0 ? items : undefined;
  }
  return seenMembers(member, value, visibility);
}

function seenMembers(member: string, value: Json, visibility: Sight): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined;
  const seen = Object.entries(value).filter(([name]) => sees(visibility, `${member}.${name}`));
  return seen.length > 0 ? Object.fromEntries(seen) : undefined;
}

function seenExtensions(value: Json, visibility: Sight): Json | undefined {
  return seenMembers("extension", value, visibility);
}

/** The members of a body that its sender can't see, as JSON pointers: none of them may be written (contract section 3.6). */
export function hiddenMembers(body: unknown, visibility: Sight): readonly string[] {
  if (!isJsonObject(body)) return [];
  return Object.entries(body).flatMap(([member, value]) => {
    if (member === "type") return [];
    if (member !== "extension" && sees(visibility, member)) return [];
    const partly = member === "extension" || seesPartOf(visibility, member);
    if (!partly || !isJsonObject(value)) return [pointer([member])];
    const names = Object.keys(value).filter((name) => !sees(visibility, `${member}.${name}`));
    return names.map((name) => pointer([member, name]));
  });
}

/** A body completed with what its sender can't see of the record that it replaces. */
export function withHidden(body: JsonObject, before: JsonObject, visibility: Sight): JsonObject {
  if (visibility.fields === "all" && visibility.extensions === "all") return body;
  const whole: Record<string, Json> = { ...body };
  for (const [member, value] of Object.entries(before)) {
    const hidden = hiddenValue(member, value, visibility);
    const sent = whole[member];
    if (hidden === undefined) continue;
    if (sent === undefined) whole[member] = hidden;
    else if (isJsonObject(sent) && isJsonObject(hidden)) whole[member] = { ...hidden, ...sent };
  }
  return whole;
}

function hiddenValue(member: string, value: Json, visibility: Sight): Json | undefined {
  if (member !== "extension" && sees(visibility, member)) return undefined;
  if (!isJsonObject(value)) return value;
  const hidden = Object.entries(value).filter(([name]) => !sees(visibility, `${member}.${name}`));
  return hidden.length > 0 ? Object.fromEntries(hidden) : undefined;
}

function seesPartOf({ fields }: Sight, member: string): boolean {
  return fields !== "all" && [...fields].some((field) => field.startsWith(`${member}.`));
}
