import { isJsonObject, isListOf, isText, type Problem } from "@fieldroll/core";
import { wrongCall } from "./problems.ts";

type Given = Readonly<Record<string, unknown>>;

/** Refuses credentials of which a part is missing: the server would call them wrong. */
export function misstatedSignIn(credentials: unknown): Problem | undefined {
  const { clientId, clientSecret }: Given = Object(credentials);
  const right = { clientId: isText(clientId), clientSecret: isText(clientSecret) };
  return wrongCall("The sign-in's", right, "must be given, as text");
}

/** Refuses what is no registration of a household; what is wrong with its records, the registry says. */
export function misstatedHousehold(household: unknown): Problem | undefined {
  const { group, members, enrollIn = [] }: Given = Object(household);
  const isMember = (member: unknown) => isJsonObject(member) && isJsonObject(member.individual);
  const right = {
    group: isJsonObject(group),
    members: Array.isArray(members) && members.every(isMember),
    enrollIn: Array.isArray(enrollIn),
  };
  const form = "{ group: {…}, members: [{ individual: {…} }], enrollIn: [] }";
  return wrongCall("The household's", right, `must be given as in ${form}`);
}

/** Refuses what is no search on a device; the parameters of the server's own search, the registry looks at. */
export function misstatedSearch(parameters: unknown): Problem | undefined {
  const { "name:start": start = "" }: Given = Object(parameters);
  const right = {
    parameters: isJsonObject(parameters),
    "name:start": isText(start) || isListOf(start, isText),
  };
  return wrongCall("The", right, 'must be given as in { "name:start": ["ana", "rey"] }');
}

/** Refuses what can't be compared with the people who are here. */
export function misstatedPerson(person: unknown): Problem | undefined {
  const { name, birthDate = "", identifier = [], telecom = [], address = [] }: Given = Object(person);
  const right = {
    name: isJsonObject(name) && Object.values(name).every((part) => isText(part ?? "")),
    birthDate: isText(birthDate),
    identifier: isListOf(identifier, isJsonObject),
    telecom: isListOf(telecom, (item) => isText(Object(item).value)),
    address: isListOf(address, isJsonObject),
  };
  return wrongCall("The person's", right, "must be as in an Individual");
}

/** Refuses what is no decision: what is no choice would be taken for one that takes the place away. */
export function misstatedDecision(decision: unknown): Problem | undefined {
  const { kind, revision, choices = kind === "adopt" ? {} : undefined }: Given = Object(decision);
  const chooses = kind === "choose" || kind === "adopt";
  const isKind = chooses || kind === "retry" || kind === "discard";
  const what = "The decision's";
  if (!chooses)
    return (
      wrongCall(what, { kind: isKind }, 'must be "choose", "adopt", "retry" or "discard"') ??
      wrongCall(what, { revision: revision === undefined || isText(revision) }, "must be the parked record's")
    );
  const form = "the parked record's revision, and a choice for each of its conflicts";
  const right = { revision: isText(revision), choices: isJsonObject(choices) };
  return wrongCall(what, right, `must be given: ${form}`) ?? misstatedChoices(Object(choices));
}

/** Refuses what is to be text and is none. */
export function misstatedText(given: Given): Problem | undefined {
  const right = Object.entries(given).map(([name, text]) => [name, isText(text)]);
  return wrongCall("The", Object.fromEntries(right), "must be given, as text");
}

function misstatedChoices(choices: Given): Problem | undefined {
  const right = Object.entries(choices).map(([path, choice]) => [path, isChoice(choice)]);
  return wrongCall("The choice for", Object.fromEntries(right), 'must be "ours", "theirs" or { value }');
}

function isChoice(given: unknown): boolean {
  return given === "ours" || given === "theirs" || (isJsonObject(given) && given.value !== undefined);
}
