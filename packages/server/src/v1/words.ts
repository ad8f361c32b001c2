import type { Json, JsonObject, Problem } from "@fieldroll/core";
import type { IntegerIds, Kind, Named } from "./integer-ids.ts";

/** `service.registrant` of version 2 is `g2p.registrant` of version 1. */
const prefix = "g2p.";

/** Records of version 2 in the words of version 1: integers for `ext_id`s, models prefixed `g2p.`. */
export async function inFormerWords(
  records: readonly object[],
  ids: IntegerIds,
): Promise<readonly JsonObject[]> {
  const plain = records.map((record) => record as JsonObject);
  const named = plain.flatMap((record) => namesIn(record).map(({ named }) => named));
  const numbers = await ids.of(named);
  let next = 0;
  return plain.map((record) => {
    const own = new Map(namesIn(record).map(({ member }) => [member, numbers[next++] ?? 0]));
    return Object.fromEntries(Object.entries(record).map(([member, value]) => renamed(member, value, own)));
  });
}

function renamed(member: string, value: Json, numbers: ReadonlyMap<string, number>): [string, Json] {
  const number = numbers.get(member);
  if (number !== undefined) return [member.replace(/ext_id$/, "id"), number];
  if (/(^|_)model$/.test(member)) return [member, `${prefix}${kindOf(value)}`];
  return [member, value];
}

/** The members of a record that name a record: `ext_id` and `<name>_ext_id`, each with its model beside it. */
function namesIn(record: JsonObject): readonly { readonly member: string; readonly named: Named }[] {
  return Object.entries(record).flatMap(([member, value]) => {
    if (!/(^|_)ext_id$/.test(member) || typeof value !== "string") return [];
    const kind = kindOf(record[member.replace(/ext_id$/, "model")] ?? null);
    return [{ member, named: { kind: kind as Kind, extId: value } }];
  });
}

function kindOf(model: Json): string {
  const text = String(model);
  return text.slice(text.indexOf(".") + 1);
}

/** What version 1 calls the records that version 2 names by reference. */
const kinds: Readonly<Record<string, string>> = {
  Individual: "the registrant",
  Group: "the group",
  Program: "the program",
  ProgramMembership: "the enrollment",
};

/** References of version 2 lead nowhere in version 1. They hold no spaces; the sentence goes on behind them. */
const references = /\b(Individual|Group|ProgramMembership|Program)\/[^\s|]+\|\S*[^\s.,;:)]/g;

/**
 * A problem as version 1 printed errors.
 *
 * @param names integers of the `ext_id`s that the problem may speak of
 */
export function formerError(problem: Problem, names: ReadonlyMap<string, string> = new Map()) {
  let error = problem.detail.replaceAll(references, (_, type: string) => kinds[type] ?? "a record");
  for (const [extId, id] of names) error = error.replaceAll(extId, id);
  return { error: error.replaceAll("ext_id", "id"), error_code: problem.kind };
}
