import { isJsonObject, type Json } from "../../json.ts";
import { invalid, type Problem } from "../../problem.ts";
import {
  canonicalReference,
  parseReference,
  quotedReference,
  type StoredReference,
} from "../../resource/reference.ts";
import type { Settings } from "../settings.ts";
import type { Caller } from "../types.ts";
import { keysSeen } from "../write/write-sight.ts";
import type { EntryRequest } from "./entry-request.ts";
import { givenIdentifiers } from "./given-identifiers.ts";

/** A person whom an operation on a group's members names, and where. */
interface Named {
  readonly raw: StoredReference;
  readonly field: string;
  readonly entry: number;
}

/**
 * Refuses a transaction that names a member by an identifier which it also gives to somebody else: operations on members look at
 * who has it when the bundle comes, and would end the wrong person's membership.
 */
export async function handedOver(
  settings: Settings,
  caller: Caller,
  asked: readonly EntryRequest[],
): Promise<Problem | undefined> {
  const named = asked.flatMap(membersNamed);
  const names = new Set(named.map(({ raw }) => raw));
  const given = asked
    .flatMap((request) => givenBy(request, settings.namespace))
    .filter(({ raw }) => names.has(raw));
  if (given.length === 0) return undefined;
  const keys = await keysSeen(
    settings,
    caller,
    given.flatMap(({ raw, to = raw }) => [raw, to]),
  );
  const moved = given.find(
    ({ raw, to }) => keys.has(raw) && (to === undefined || keys.get(raw) !== keys.get(to)),
  );
  const at = moved && named.find(({ raw }) => raw === moved.raw);
  return at && refusal(at);
}

function refusal({ raw, field, entry }: Named): Problem {
  const message = `names ${quotedReference(raw)}, an identifier that this bundle gives to somebody else; send that in a bundle of its own`;
  return { ...invalid([{ field, code: "ambiguous_reference", message }]), entry };
}

function membersNamed(request: EntryRequest, entry: number): readonly Named[] {
  if (!["addMember", "removeMember", "split"].includes(request.does) || !("body" in request)) return [];
  const { body } = request;
  if (!isJsonObject(body)) return [];
  const list: readonly Json[] = Array.isArray(body.members) ? body.members : [];
  const places: readonly (readonly [string, Json | undefined])[] = [
    ["/entity", body.entity],
    ...list.map((member, i) => [`/members/${i}`, member] as const),
  ];
  return places.flatMap(([field, member]) => {
    const text = isJsonObject(member) ? member.reference : undefined;
    const parsed = typeof text === "string" ? parseReference(text) : undefined;
    if (!parsed?.ok) return [];
    const raw = canonicalReference(parsed.value.type, parsed.value);
    return [{ raw, field: `${field}/reference`, entry }];
  });
}

/** The identifiers that an entry gives, raw, each with the record that gets it, where that is there already. */
function givenBy(request: EntryRequest, namespace: string) {
  if (!["create", "replace", "patch"].includes(request.does) || !("body" in request)) return [];
  const { type, body } = request;
  const to = "address" in request && request.address ? canonicalReference(type, request.address) : undefined;
  return givenIdentifiers({ type, body }, namespace).map((identifier) => ({
    raw: canonicalReference(type, identifier),
    ...(to !== undefined && { to }),
  }));
}
