/** Why someone may be registered already: by kind of evidence, and by how it matches. */
export const likenessTexts = {
  title: "This person may be registered already",
  open: "Open the record",
  opens: "(opens in a new tab)",
  dismiss: (count: number) => (count === 1 ? "It is another person" : "It is none of them"),
  taken: (name: string) =>
    `${name} has the same identity number. Correct the number, or open the record above if it is the same person.`,
  identifier: "same identity number",
  "name/same": "same name",
  "name/part": "name in part",
  "name/similar": "similar name",
  "name/word": "one name in common",
  "birthYear/day": "same date of birth",
  "birthYear/year": "same year of birth",
  "birthYear/near": "born about the same year",
  "area/district": "same village",
  "area/city": "same town",
  "area/other": "another town",
  telecom: "same phone number",
  gender: "another gender",
  household: "same household name",
};
