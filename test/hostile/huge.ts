/** Texts of JSON that are much of one kind. */
const filled = (open: string, part: string, close: string, bytes: number) =>
  `${open}${part.repeat(Math.max(1, Math.floor((bytes - open.length - close.length) / part.length)))}${close}`;

/** A list of so many. */
export const wide = (count: number, item: string) => `[${Array(count).fill(item).join()}]`;

/** An object of so many members. */
export const many = (count: number, value: string, name = "m") =>
  `{${Array.from({ length: count }, (_, i) => `"${name}${i}":${value}`).join()}}`;

/** The largest body: contract section 8. */
const largest = 8 * 1024 * 1024;

const coding = wide(20, "{}");
const person = '"type":"Individual","name":{"family":"Reyes"}';

/** A bundle of one write whose request has much of one kind in a member. */
const requesting = (member: string, part: string, bytes: number) =>
  filled(
    `{"resourceType":"Bundle","type":"batch","entry":[${writeWith(member)}`,
    part,
    '"},"resource":{}}]}',
    bytes,
  );

/** As many writes as a bundle may have, each with a member as long as it may be. */
const bundleOf100 = (member: string, part: string) => {
  const entry = filled(writeWith(member), part, '"},"resource":{}}', 7900);
  return `{"resourceType":"Bundle","type":"batch","entry":${wide(100, entry)}}`;
};

const writeWith = (member: string) =>
  `{"request":{"method":"PUT",${member === "url" ? "" : '"url":"Individual/urn:a|b",'}"${member}":"`;

/** Bodies of a person or of a group that try to be more than a server can bear, by what is in them. */
export const hugeBodies: Readonly<Record<string, string>> = {
  "two million identifiers": filled(`{${person},"identifier":[{}`, ",{}", "]}", largest),
  "100,000 identifiers": `{${person},"identifier":${wide(100_000, '{"system":"a","value":"b"}')}}`,
  "1,000 identifiers": `{${person},"identifier":${wide(1000, "{}")}}`,
  "400,000 unknown members": `{${person},${many(400_000, "1").slice(1)}`,
  "48 addresses of 990 unknown members": `{${person},"address":${wide(48, many(990, "1", "cit"))}}`,
  "900 extensions nobody declared": `{${person},"extension":${many(900, many(50, "1"), "far")}}`,
  "500 members of 20 roles": `{"type":"Group","member":${wide(500, `{"entity":{},"role":{"coding":${coding}}}`)}}`,
  "500 long references": `{"type":"Group","member":${wide(500, `{"entity":{"reference":"Individual/${"%41".repeat(5000)}|1"}}`)}}`,
  "49,000 texts with U+0000": `{${person},"telecom":${wide(49, wide(1000, '"\\u0000"'))}}`,
  "50 identifiers of 150 kB": `{${person},"identifier":${wide(50, `{"system":"${"s|".repeat(40_000)}","value":"${"v".repeat(80_000)}"}`)}}`,
  "a name of 8 MiB": filled('{"type":"Individual","name":{"given":"', "a", '"}}', largest),
  "a name of 4 million accents": filled('{"type":"Individual","name":{"given":"', "é", '"}}', largest / 2),
  "a name of escapes": filled('{"type":"Individual","name":{"given":"', "\\u0041", '"}}', largest),
  "a name of backslashes": filled('{"type":"Individual","name":{"given":"', "\\\\", '"}}', largest),
  "a name of quotation marks": filled('{"type":"Individual","name":{"given":"', '\\"', '"}}', largest),
  "a member name of 8 MiB": filled('{"type":"Individual","', "k", '":1}', largest),
  "a member name of escapes": filled('{"type":"Individual","', "\\u006b", '":1}', largest),
  "a number of 8 million digits": filled('{"type":"Individual","x":', "1", "}", largest),
  "a photo of 8 MiB": filled('{"type":"Individual","photo":"data:image/png;base64,', "A", '"}', largest),
  "a date of 8 MiB": filled('{"type":"Individual","birthDate":"', "9", '"}', largest),
  "eight million lists in lists": "[".repeat(largest),
  "objects in objects": filled("", '{"a":', "", largest),
  "one member again and again": filled("{", '"a":1,', '"a":1}', largest),
  "white space": filled("{", " ", "}", largest),
  commas: filled("[", ",", "]", largest),
  colons: filled("{", ":", "}", largest),
  "numbers without commas": filled("[", "1 ", "]", largest),
  "no JSON at all": "x".repeat(largest),
};

/** A bundle whose entries have these bodies. */
export const bundleOf = (bodies: readonly string[], more = "") =>
  `{"resourceType":"Bundle","type":"batch","entry":[${bodies
    .map((body) => `{"request":{"method":"POST","url":"Individual"},"resource":${body}}`)
    .join()}]${more}}`;

/** Bundles that try the same. */
export const hugeBundles: Readonly<Record<string, string>> = {
  "a bundle with a precondition of 8 million commas": requesting("ifMatch", ",", largest),
  "a bundle with a precondition of two million tags": requesting("ifMatch", '\\"a\\",', largest),
  "a bundle with a precondition of quotation marks": requesting("ifMatch", '\\"', largest),
  "a bundle with a precondition of blanks": requesting("ifMatch", " ", largest),
  "a bundle of 100 preconditions of 7,900 commas": bundleOf100("ifMatch", ","),
  "a bundle of 100 preconditions of tags": bundleOf100("ifMatch", '\\"a\\",'),
  "a bundle with an address of 8 MiB": requesting("url", "a", largest),
  "a bundle with an address of percent signs": requesting("url", "%41", largest),
  "a bundle with an address of parameters": requesting("url", "a=b&", largest),
  "a bundle of 100 addresses of 7,900 commas": bundleOf100("url", ","),
  "a bundle with a temporary name of 8 MiB": filled(
    '{"resourceType":"Bundle","type":"transaction","entry":[{"fullUrl":"urn:uuid:',
    "a",
    '","request":{"method":"POST","url":"Individual"},"resource":{}}]}',
    largest,
  ),
  "a bundle with 400,000 unknown members": bundleOf(["{}"], `,${many(400_000, "1").slice(1, -1)}`),
  "a bundle with 990 unknown members": bundleOf(["{}"], `,${many(990, "1").slice(1, -1)}`),
  "a bundle of an entry with 400,000 unknown members": bundleOf([many(400_000, "1")]),
  "a bundle of 100 entries with 400 unknown members": bundleOf(Array(100).fill(many(400, "1"))),
  "a bundle of 100 entries with 100 faults in Devanagari": bundleOf(
    Array(100).fill(`{"address":${wide(20, many(10, "1", "नाम".repeat(20)))}}`),
  ),
  "a bundle of 300,000 entries": `{"resourceType":"Bundle","type":"batch","entry":${wide(300_000, "{}")}}`,
  "a bundle of 101 entries": bundleOf(Array(101).fill("{}")),
  "a bundle of 100 entries without a form": `{"resourceType":"Bundle","type":"batch","entry":${wide(100, many(400, "1"))}}`,
};
