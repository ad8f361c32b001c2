import { type Document, type JsonObject, recordDocument } from "@fieldroll/core";

const syllables = [
  "ba",
  "ca",
  "da",
  "gu",
  "li",
  "ma",
  "na",
  "pa",
  "re",
  "sa",
  "to",
  "yu",
  "vi",
  "za",
  "lo",
  "mi",
];

/** A name of three syllables, the same for the same number. */
function word(number: number): string {
  const parts = [number % 16, Math.floor(number / 16) % 16, Math.floor(number / 256) % 16];
  const text = parts.map((at) => syllables[at] ?? "").join("");
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** A UUIDv7's shape: numbered in the order of making, its end as if by chance. */
function keyOf(number: number): string {
  const time = (0x19000000000 + number * 977).toString(16).padStart(12, "0");
  const chance = Math.imul(number + 1, 2654435761) >>> 0;
  const tail = chance.toString(16).padStart(8, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${tail.slice(0, 3)}-8${tail.slice(3, 6)}-${tail}${tail.slice(0, 4)}`;
}

/** A person as a device keeps one that a pull brought, the same for the same number. */
export function personRecord(number: number): JsonObject {
  const city = word(number % 97);
  const district = word(number % 389);
  return {
    identifier: [{ system: "urn:gov:ph:nid", value: String(number).padStart(9, "0"), country: "PH" }],
    name: {
      family: word(Math.imul(number, 40503) >>> 7),
      given: word(Math.imul(number, 2654435761) >>> 9),
      middle: word(Math.imul(number, 69069) >>> 5),
    },
    birthDate: `${1950 + (number % 70)}-${String(1 + (number % 12)).padStart(2, "0")}-11`,
    gender: { coding: [{ system: "urn:iso:std:iso:5218", code: String(1 + (number % 2)) }] },
    // One in five has no telephone.
    ...(number % 5 > 0 && {
      telecom: [{ system: "phone", value: `+63917${String(number).padStart(7, "0")}` }],
    }),
    address: [
      {
        type: "physical",
        line: [`${number % 250} ${word(number)} Street`],
        city,
        district,
        state: "Luzon",
        country: "PH",
      },
    ],
    active: true,
    meta: { versionId: "1", lastUpdated: new Date(1_750_000_000_000 + number * 1000).toISOString() },
  };
}

/** The document of a person, with its claims and entries as core computes them. */
export function personDocument(number: number): Document {
  const key = keyOf(number);
  return recordDocument({
    type: "Individual",
    key,
    version: 1,
    record: personRecord(number),
    links: {},
    feeds: [],
  });
}

/** Terms as people type them: parts of names, from common to absent. */
export const terms: readonly string[] = [
  "reba",
  "mali",
  "vizalo",
  "to pa",
  "nalore",
  "guya",
  "zzz",
  "yumina",
  "sapare",
  "lito ma",
];
