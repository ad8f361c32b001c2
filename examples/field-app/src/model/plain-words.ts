import { texts } from "../texts.ts";
import { codesInWords } from "./codes-in-words.ts";
import type { NameOf } from "./conflict-text.ts";
import { nationalIdSystem } from "./person-form.ts";

/** A reference within a sentence, with what leads to it, such as ": see Individual/urn:…|1". */
const reference = /(: see )?\b(Individual|Group|ProgramMembership|Program)\/([^\s|]+)\|(\S*[^\s.,;:)])/g;

/** What a server says of a token is for programs. */
const scope =
  /This needs the scope \S+, which the (access token|client) does not have\.( Ask for a token with it\.)?/;

/** Every reference inside a sentence, each once. */
export function referencesInText(text: string): readonly string[] {
  return [
    ...new Set(
      [...text.matchAll(reference)].map(([, , type, system, value]) => `${type}/${system}|${value}`),
    ),
  ];
}

/**
 * A sentence of the server's or of the registry's, for people: an identity number as one, a reference as the name of whom it means,
 * as far as that is known, codes as the words of this app, and what is said of tokens as what the person can do about it.
 */
export function plainWords(text: string, nameOf: NameOf = () => undefined): string {
  const named = text.replace(reference, (...found: string[]) => {
    const [, leading = "", type = "", system = "", value = ""] = found;
    if (system === nationalIdSystem) return `${leading}${texts.person.nationalId} ${value}`;
    const name = nameOf(`${type}/${system}|${value}`);
    if (name !== undefined) return `${leading}${name}`;
    return leading === "" ? ((texts.resources as Readonly<Record<string, string>>)[type] ?? "") : "";
  });
  return codesInWords(named).replace(scope, texts.rights.withoutRight);
}
