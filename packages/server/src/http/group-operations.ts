import type { GroupVerbs, Outcome, WriteOptions, Written } from "@fieldroll/core";
import { type AddressParts, parseAddress } from "./address.ts";
import type { Answer } from "./answer.ts";
import { type JsonBody, readJson } from "./body.ts";
import type { CallerExchange } from "./exchange.ts";
import { writeOptions } from "./write-request.ts";
import { writtenAnswer } from "./written.ts";

type Verbs = GroupVerbs<unknown>;

/** POST `$add-member`: one member item. Answers 201 with the group: contract section 5. */
export function addMember(exchange: CallerExchange): Promise<Outcome<Answer>> {
  return atGroup(exchange, "$add-member", 201, (groups, address, { value, options }) =>
    groups.addMember(address, value, options),
  );
}

/** POST `$remove-member`: `{entity, endDate?, reason?}`. Answers the group. */
export function removeMember(exchange: CallerExchange): Promise<Outcome<Answer>> {
  return atGroup(exchange, "$remove-member", 200, (groups, address, { value, options }) =>
    groups.removeMember(address, value, options),
  );
}

/** POST `$split`: `{identifier, name, members, head?}`. Answers 201 with the new group. */
export function splitGroup(exchange: CallerExchange): Promise<Outcome<Answer>> {
  return atGroup(exchange, "$split", 201, (groups, address, { value, options }) =>
    groups.split(address, value, options),
  );
}

/** POST `/Group/$merge`: `{source, target}`. Answers the target. */
export async function mergeGroups(exchange: CallerExchange): Promise<Outcome<Answer>> {
  const sent = await readWrite(exchange, "Group/$merge");
  if (!sent.ok) return sent;
  const { value, options } = sent.value;
  return writtenAnswer(exchange, await exchange.view.groups.merge(value, options), 200);
}

interface SentWrite {
  readonly value: JsonBody["value"];
  readonly options: WriteOptions;
}

async function atGroup(
  exchange: CallerExchange,
  operation: string,
  status: number,
  write: (groups: Verbs, address: AddressParts, sent: SentWrite) => Promise<Outcome<Written<unknown>>>,
): Promise<Outcome<Answer>> {
  const address = parseAddress(exchange.param);
  if (!address.ok) return address;
  const { system, value } = address.value;
  const sent = await readWrite(exchange, `Group/${system}|${value}/${operation}`);
  if (!sent.ok) return sent;
  return writtenAnswer(exchange, await write(exchange.view.groups, address.value, sent.value), status);
}

async function readWrite(exchange: CallerExchange, target: string): Promise<Outcome<SentWrite>> {
  const body = await readJson(exchange, ["application/json"]);
  if (!body.ok) return body;
  const options = await writeOptions(exchange, { bytes: body.value.bytes, target });
  return options.ok ? { ok: true, value: { value: body.value.value, options: options.value } } : options;
}
