import { isJsonObject, type JsonObject } from "../json.ts";
import { quoted } from "../text.ts";
import type { SchemaContext } from "./context.ts";
import { isCalendarDate } from "./dates.ts";
import { secondHead, secondHeads } from "./decide-group.ts";
import { checkExtensions } from "./extensions.ts";
import { addressOfReference } from "./reference.ts";
import type { Report } from "./rule.ts";
import type { ResourceType } from "./types.ts";
import {
  checkBound,
  checkCodings,
  genderSystem,
  identifierSystemList,
  relationshipSystem,
} from "./vocabularies.ts";

interface Setting {
  readonly context: SchemaContext;
  readonly report: Report;
}

const earliestBirthDate = "1850-01-01";

/** Checks what depends on the deployment and the day: dates, vocabularies, extensions, a group's members. */
export function checkContext(type: ResourceType, record: JsonObject, setting: Setting): void {
  checkCodings(record, setting.context, setting.report);
  checkIdentifierSystems(record, setting);
  checkExtensions(type, record.extension, setting);
  if (type === "Individual") checkIndividual(record, setting);
  if (type === "Group") checkMembers(record.member, setting);
}

function checkIndividual(record: JsonObject, { context, report }: Setting): void {
  checkBound(record.gender, genderSystem, (path, code, message) =>
    report(["gender", ...path], code, message),
  );
  const { birthDate } = record;
  if (typeof birthDate !== "string" || !isCalendarDate(birthDate)) return;
  const today = context.today();
  if (birthDate > today) report(["birthDate"], "future_date", `must not be after today, ${today}`);
  if (birthDate < earliestBirthDate)
    report(["birthDate"], "out_of_range", "must not be before the year 1850");
}

function checkIdentifierSystems(record: JsonObject, { context, report }: Setting): void {
  const list = context.vocabularies?.[identifierSystemList(context.namespace)];
  if (!list || list.open || !Array.isArray(record.identifier)) return;
  for (const [index, item] of record.identifier.entries()) {
    const system: unknown = isJsonObject(item) ? item.system : undefined;
    if (typeof system !== "string" || list.codes.includes(system)) continue;
    report(["identifier", index, "system"], "invalid_code", `must be one of ${list.codes.join(", ")}`);
  }
}

function checkMembers(members: unknown, { context, report }: Setting): void {
  if (!Array.isArray(members)) return;
  const system = relationshipSystem(context.namespace);
  const entities = new Set<string>();
  for (const [index, member] of members.entries()) {
    if (!isJsonObject(member)) continue;
    checkBound(member.role, system, (path, code, message) =>
      report(["member", index, "role", ...path], code, message),
    );
    const entity = entityOf(member);
    if (entity && entities.has(entity)) {
      report(
        ["member", index, "entity"],
        "duplicate_member",
        `${quoted(entity)} is a member already; list each person once`,
      );
    }
    if (entity) entities.add(entity);
  }
  for (const place of secondHeads(members, { namespace: context.namespace, today: context.today() })) {
    report(["member", place, "role"], secondHead.code, secondHead.message);
  }
}

function entityOf(member: JsonObject): string | undefined {
  const text = isJsonObject(member.entity) ? member.entity.reference : undefined;
  const address = typeof text === "string" ? addressOfReference(text) : undefined;
  return address && `${address.system}|${address.value}`;
}
