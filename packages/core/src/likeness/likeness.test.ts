import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Evidence, type Likened, likenessOf, rankAlike } from "./likeness.ts";
import { tellingParts } from "./words.ts";

const imus = [{ country: "PH", state: "Cavite", city: "Imus", district: "Alapan" }];
const sameTown = [{ ...imus[0], district: "Toclong" }];
const bacoor = [{ country: "PH", state: "Cavite", city: "Bacoor" }];
const male = { coding: [{ system: "urn:iso:std:iso:5218", code: "1" }] };
const female = { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] };

const ana: Likened = {
  identifier: [{ system: "urn:gov:ph:nid", value: "A-1" }],
  name: { given: "Ana", middle: "Santos", family: "Reyes" },
  birthDate: "1990-05-01",
  gender: female,
  telecom: [{ system: "phone", value: "+63 917 555 0101" }],
  address: imus,
};
const named = (given: string, family: string, rest: Partial<Likened> = {}): Likened => ({
  name: { given, family },
  birthDate: "1990-05-01",
  address: imus,
  ...rest,
});

/** What speaks for or against, in short. */
function reasons({ evidence }: { readonly evidence: readonly Evidence[] }): readonly string[] {
  return evidence.map((each) => ("match" in each ? `${each.kind}: ${each.match}` : each.kind));
}

type Case = readonly [name: string, person: Likened, other: Likened, reasons: readonly string[]];

describe("likenessOf", () => {
  it.each<Case>([
    [
      "the same in everything",
      ana,
      ana,
      ["identifier", "name: same", "birthYear: day", "area: district", "telecom"],
    ],
    [
      "an identifier alone",
      { name: { family: "Else" }, identifier: [{ system: "urn:gov:ph:nid", value: "A-1" }] },
      ana,
      ["identifier"],
    ],
    [
      "other accents and capitals",
      named("José", "Muñoz"),
      named("JOSE", "munoz"),
      ["name: same", "birthYear: day", "area: district"],
    ],
    [
      "family and given name exchanged",
      named("Reyes", "Ana"),
      named("Ana", "Reyes"),
      ["name: same", "birthYear: day", "area: district"],
    ],
    [
      "a middle name that only one tells",
      named("Ana", "Reyes", { birthDate: "1990-02-03" }),
      ana,
      ["name: part", "birthYear: year", "area: district"],
    ],
    [
      "an initial for the middle name",
      named("Ana S.", "Reyes", { birthDate: "1990-02-03" }),
      ana,
      ["name: part", "birthYear: year", "area: district"],
    ],
    [
      "one name as a text in full",
      { name: { text: "Reyes, Ana Santos" }, birthDate: "1990-01-01" },
      ana,
      ["name: same", "birthYear: year"],
    ],
    [
      "small words written together",
      named("Ana", "Dela Cruz"),
      named("Ana", "De la Cruz"),
      ["name: same", "birthYear: day", "area: district"],
    ],
    [
      "a typed-over name",
      named("Marisol", "Reyez", { birthDate: "1990-02-03" }),
      named("Marisol", "Reyes"),
      ["name: similar", "birthYear: year", "area: district"],
    ],
    [
      "two letters exchanged",
      named("Jhon", "Reyes"),
      named("John", "Reyes"),
      ["name: similar", "birthYear: day", "area: district"],
    ],
    [
      "a doubled letter",
      named("Anna", "Reyes", { birthDate: "1990-02-03" }),
      named("Ana", "Reyes"),
      ["name: similar", "birthYear: year", "area: district"],
    ],
    [
      "one sound in other Latin letters",
      named("Muhammad", "Hassan"),
      named("Mohamed", "Hasan"),
      ["name: similar", "birthYear: day", "area: district"],
    ],
    [
      "an Arabic name with and without vowel marks and hamza",
      named("أَحْمَد", "علي"),
      named("احمد", "على"),
      ["name: same", "birthYear: day", "area: district"],
    ],
    [
      "an Arabic name written together and apart",
      named("عبد الرحمن", "صالح"),
      named("عبدالرحمن", "صالح"),
      ["name: same", "birthYear: day", "area: district"],
    ],
    [
      "a Devanagari name with another vowel sign in a long word",
      named("लक्ष्मी", "देवी"),
      named("लक्ष्मि", "देवी"),
      ["name: similar", "birthYear: day", "area: district"],
    ],
    [
      "a missing date of birth, in one town",
      named("Ana", "Reyes", { birthDate: "" }),
      named("Ana", "Reyes", { address: sameTown }),
      ["name: same", "birthYear: unknown", "area: city"],
    ],
    [
      "a missing date of birth, and nothing against it",
      { name: { given: "Ana", family: "Reyes" } },
      named("Ana", "Reyes"),
      ["name: same", "birthYear: unknown"],
    ],
    [
      "a year of birth that is one off",
      named("Ana", "Reyes", { birthDate: "1991-11-30" }),
      named("Ana", "Reyes"),
      ["name: same", "birthYear: near", "area: district"],
    ],
    [
      "an estimated age that is three years off",
      named("Ana", "Reyes", { birthDate: "1993-01-01", birthDateEstimated: true }),
      named("Ana", "Reyes"),
      ["name: same", "birthYear: near", "area: district"],
    ],
    [
      "one name and year in another town",
      named("Ana", "Reyes", { address: bacoor, birthDate: "1990-09-09" }),
      named("Ana", "Reyes"),
      ["name: same", "birthYear: year", "area: other"],
    ],
    [
      "a telephone number with and without the country",
      named("Ana", "Reyes", {
        birthDate: "",
        address: bacoor,
        telecom: [{ system: "phone", value: "0917-5550101" }],
      }),
      ana,
      ["name: part", "birthYear: unknown", "area: other", "telecom"],
    ],
    [
      "another gender, mistyped, of one born the same day",
      { ...named("Ana", "Reyes"), gender: male },
      { ...named("Ana", "Reyes"), gender: female },
      ["name: same", "birthYear: day", "area: district", "gender"],
    ],
    [
      "people of one name each",
      { name: { given: "Suharto" }, birthDate: "1960-01-01" },
      { name: { family: "Suharto" }, birthDate: "1960-06-08" },
      ["name: same", "birthYear: year"],
    ],
  ])("sees one person in %s", (_name, person, other, expected) => {
    const found = likenessOf(person, other);
    expect(found && reasons(found)).toEqual(expected);
  });

  it.each<readonly [string, Likened, Likened]>([
    ["brothers and sisters with other given names", named("Ben", "Reyes", { birthDate: "1991-05-01" }), ana],
    ["twins with other given names", { ...ana, identifier: [], name: { ...ana.name, given: "Eva" } }, ana],
    [
      "twins, a boy and a girl, whose names differ by a letter",
      { ...named("Mario", "Cruz"), gender: male },
      { ...named("Maria", "Cruz"), gender: female },
    ],
    ["sisters who share a first given name", named("Maria Ana", "Reyes"), named("Maria Eva", "Reyes")],
    [
      "sisters a year apart whose names differ by a letter",
      named("Rosa", "Reyes"),
      named("Rose", "Reyes", { birthDate: "1991-06-01" }),
    ],
    ["brothers with names that only begin alike", named("Daniel", "Reyes"), named("Danilo", "Reyes")],
    ["short names that differ by a letter", named("Ana", "Reyes"), named("Ada", "Reyes")],
    ["father and son of one name", named("Ana", "Reyes", { birthDate: "1962-05-01" }), named("Ana", "Reyes")],
    [
      "father and son by a name in a chain",
      named("Hassan", "Ali"),
      { ...named("Ahmed", "Ali"), name: { given: "Ahmed", middle: "Hassan", family: "Ali" } },
    ],
    [
      "people of one family name alone",
      { ...named("", "Reyes"), name: { family: "Reyes" } },
      named("Ana", "Reyes", { birthDate: "" }),
    ],
    [
      "people who share a telephone and an address",
      { ...named("Ben", "Reyes"), telecom: ana.telecom ?? [] },
      ana,
    ],
    [
      "one name in two towns, years unknown",
      named("Ana", "Reyes", { birthDate: "", address: bacoor }),
      named("Ana", "Reyes"),
    ],
    [
      "a similar name in another town",
      named("Marisol", "Reyez", { address: bacoor, birthDate: "1990-02-03" }),
      named("Marisol", "Reyes"),
    ],
    ["Devanagari names that differ by a vowel sign", named("राम", "देवी"), named("रमा", "देवी")],
    [
      "a single word that many have",
      { name: { given: "Ana" }, birthDate: "1990-02-03", address: sameTown },
      named("Ana", "Reyes"),
    ],
    ["nothing to go by", { name: {} }, ana],
  ])("sees two people in %s", (_name, person, other) => {
    expect(likenessOf(person, other)).toBeNull();
  });

  it("tells the same from either side", () => {
    const word = fc.constantFrom(
      "Ana",
      "Anna",
      "Maria",
      "Mario",
      "Muhammad",
      "Mohamed",
      "Reyes",
      "Reyez",
      "S",
      "राम",
    );
    const name = fc.record({ given: word, family: word, middle: word }, { requiredKeys: [] });
    const birthDate = fc.constantFrom("", "1990-05-01", "1990-07-01", "1991-01-01", "1995-01-01");
    const address = fc.constantFrom(imus, sameTown, bacoor, []);
    const person = fc.record({ name, birthDate, address, birthDateEstimated: fc.boolean() });
    fc.assert(
      fc.property(person, person, (a, b) => {
        expect(likenessOf(a, b)?.score).toBe(likenessOf(b, a)?.score);
      }),
    );
  });
});

describe("rankAlike", () => {
  it("puts the most alike first and leaves out who is not", () => {
    const candidates = [
      { record: named("Ana", "Reyes", { birthDate: "1991-01-01" }), key: "near" },
      { record: named("Ben", "Reyes"), key: "brother" },
      { record: ana, key: "her" },
      { record: named("Ana", "Reyes"), key: "day" },
    ];
    expect(rankAlike(ana, candidates).map(({ key, score }) => [key, score])).toEqual([
      ["her", 113],
      ["day", 9],
      ["near", 7],
    ]);
  });
});

describe("tellingParts", () => {
  it.each([
    ["the longest word first", "Ana María", ["maria", "ana"]],
    ["of an Arabic word the part that is written in one way", "أَحْمَد", ["حمد"]],
    ["nothing of nothing", " - ", []],
  ])("gives %s", (_name, name, parts) => {
    expect(tellingParts(name)).toEqual(parts);
  });
});

describe("somebody of whom consents show a part", () => {
  const { name = {}, identifier = [], birthDate = "", telecom = [] } = ana;
  const number = [{ system: "phone", use: "mobile" }] as const;
  it.each<[string, Likened, number | undefined]>([
    ["no name, and the same identifier", { identifier, telecom }, 100],
    ["no name, and the same number", { birthDate, telecom }, undefined],
    ["a number without its value", { name, birthDate, telecom: number }, 8],
    ["a part of the name", { name: { family: "Reyes" }, birthDate }, undefined],
  ])("is told by what is shown: %s", (_, shown, score) => {
    expect(likenessOf(ana, shown)?.score).toBe(score);
    expect(likenessOf(shown, ana)?.score).toBe(score);
  });
});
