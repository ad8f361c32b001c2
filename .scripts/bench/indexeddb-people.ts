import { type Document, type JsonObject, recordDocument } from "@fieldroll/core";
import { word } from "./words.ts";

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

/** Of 4,096 words the first in one of sixteen, most hardly ever: as names are. */
function commonWord(chance: number): string {
  return word(Math.floor(4096 * (chance / 4294967296) ** 3));
}

/** As {@link personRecord}, but with names as common as names are, in forty districts of one town. */
export function neighbour(number: number): JsonObject {
  const record = personRecord(number);
  const [family, given] = [40503, 2654435761].map((by) => commonWord(Math.imul(number + 1, by) >>> 0));
  const district = `Quarter ${word(number % 40)}`;
  const address = [{ type: "physical", city: "Imus", district, state: "Cavite", country: "PH" }];
  return { ...record, name: { family, given }, address };
}

/** The document of a person, with its claims and entries as core computes them. */
export function personDocument(number: number, make = personRecord): Document {
  const key = keyOf(number);
  return recordDocument({
    type: "Individual",
    key,
    version: 1,
    record: make(number),
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
