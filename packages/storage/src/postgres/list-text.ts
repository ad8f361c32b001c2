import { StoreError } from "@fieldroll/core";

/** Characters that are escaped at a time: of more that need it the engine would make a list it has no room for, and end the process. */
const piece = 65_536;

/**
 * A list as PostgreSQL reads it. The client's own way goes over each text several times. Without NULL, which a database or a
 * role with `array_nulls = off` reads as a word.
 *
 * @throws StoreError `bad-request` when the text would be longer than any may be.
 */
export function listText(list: List): string {
  return written(() => {
    const texts = list.map((each) =>
      typeof each === "string" ? `"${escaped(each, /["\\]/g)}"` : String(each),
    );
    return `{${texts.join(",")}}`;
  });
}

/**
 * Texts of JSON as `string_to_array` takes them apart at line feeds: what writes JSON without spaces escapes them. Nothing else has to be
 * escaped, neither here nor where it is read.
 *
 * @throws StoreError as {@link listText} does.
 */
export function joinedJson(texts: List): string {
  return written(() => texts.join("\n"));
}

type List = readonly (string | number | boolean)[];

function written(write: () => string): string {
  try {
    return write();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new StoreError(
      "bad-request",
      "The store refuses the request: written out for the database it is longer than a text may be, and nothing of it was " +
        "written. Put fewer documents in one commit, or smaller ones.",
      { cause: error },
    );
  }
}

/** A text with a backslash before each of some characters, however many there are. */
export function escaped(text: string, characters: RegExp): string {
  if (text.length <= piece) return text.replaceAll(characters, "\\$&");
  let written = "";
  for (let at = 0; at < text.length; at += piece) {
    written += text.slice(at, at + piece).replaceAll(characters, "\\$&");
  }
  return written;
}
