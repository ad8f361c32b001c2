import { readFile } from "node:fs/promises";
import { consentPurposes, isJsonObject, type Json, type JsonObject } from "@fieldroll/core";
import { codeOf } from "../http/describe-failure.ts";
import { jsonFault, sentenceOf } from "../http/json-fault.ts";
import type { ClientRegistration } from "../oauth/clients.ts";
import { isFieldList, isFlag, isScopeList, isText, oneOf, type Rule } from "./client-rules.ts";
import { unreadable } from "./file-faults.ts";
import { CommandRefusal } from "./refusal.ts";

const makeFirst =
  'Make it first, such as [{"id":"office","secret":"<a long secret>","scopes":["registry:read"],"legalBasis":"public_task"}], ' +
  "or leave the option out and add clients to the database: fieldroll client add.";

/** Reads the file of `--clients`: docs/command-line.md. */
export async function readClientsFile(path: string): Promise<readonly ClientRegistration[]> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw unreadable(path, error, {
      option: "--clients",
      so: "nothing is served",
      ...(codeOf(error) === "ENOENT" && { next: makeFirst }),
    });
  });
  const parsed = parseClients(text);
  if ("clients" in parsed) return parsed.clients;
  const list = parsed.faults.map((fault) => `  ${fault}`).join("\n");
  throw new CommandRefusal(`--clients ${path} is not a list of clients:\n${list}`);
}

/** A list of clients, or everything that is wrong with it, by JSON pointer. Secrets are never repeated. */
export function parseClients(
  text: string,
): { readonly clients: readonly ClientRegistration[] } | { readonly faults: readonly string[] } {
  const parsed = parseJson(text);
  if ("fault" in parsed) return { faults: [parsed.fault] };
  if (!Array.isArray(parsed.value)) return { faults: ["the file must hold an array: [{…}, …]"] };
  const list: readonly Json[] = parsed.value;
  const faults = list.flatMap((item, i) => faultsOfClient(item).map((fault) => `/${i}${fault}`));
  const ids = list.map((item) => (isJsonObject(item) ? item.id : undefined));
  for (const [i, id] of ids.entries()) {
    if (id !== undefined && ids.indexOf(id) !== i)
      faults.push(`/${i}/id: is already the id of /${ids.indexOf(id)}`);
  }
  return faults.length > 0 ? { faults } : { clients: list as unknown as readonly ClientRegistration[] };
}

function parseJson(text: string): { readonly value: unknown } | { readonly fault: string } {
  try {
    return { value: JSON.parse(text) };
  } catch {
    const fault = jsonFault(text);
    return { fault: `the text is not JSON${fault ? `; ${sentenceOf(fault)}` : ""}` };
  }
}

const rules: Readonly<Record<string, Rule>> = {
  id: isText,
  secret: isText,
  scopes: isScopeList,
  organization: isText,
  organizationType: isText,
  legalBasis: isText,
  fields: isFieldList,
  purpose: oneOf(consentPurposes),
  active: isFlag,
};
const required = ["id", "secret", "scopes"];

function faultsOfClient(item: Json): readonly string[] {
  if (!isJsonObject(item)) return [": must be an object"];
  const missing = required.filter((name) => !Object.hasOwn(item, name)).map((name) => `/${name}: is missing`);
  return [...missing, ...Object.keys(item).flatMap((name) => faultOfMember(item, name))];
}

function faultOfMember(item: JsonObject, name: string): readonly string[] {
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  const fault = rule
    ? rule(item[name] ?? null)
    : `is no member of a client; there are ${Object.keys(rules).join(", ")}`;
  return fault === undefined ? [] : [`/${name}: ${fault}`];
}
