import { expect, it } from "vitest";
import { unhidden } from "./unhidden.ts";

const home = { type: "physical", city: "Naga", line: ["12 A street"] };
const shop = { type: "postal", city: "Imus", line: ["3 B street"] };
const towns = [{ city: "Naga" }, { city: "Imus" }];
const whole = { name: { family: "Cruz", given: "Ana" }, birthDate: "1990-01-01", address: [home, shop] };
const shown = { name: { family: "Cruz" }, address: towns };

it.each<[string, object, object]>([
  ["nothing", shown, whole],
  [
    "another name",
    { ...shown, name: { family: "Reyes" } },
    { ...whole, name: { family: "Reyes", given: "Ana" } },
  ],
  [
    "a given name where one is hidden",
    { ...shown, name: { family: "Cruz", given: "Eva" } },
    { ...whole, name: { family: "Cruz", given: "Eva" } },
  ],
  [
    "a day of birth where one is hidden",
    { ...shown, birthDate: "1991-11-11" },
    { ...whole, birthDate: "1991-11-11" },
  ],
  [
    "another town",
    { ...shown, address: [{ city: "Naga" }, { city: "Bacoor" }] },
    { ...whole, address: [home, { ...shop, city: "Bacoor" }] },
  ],
  ["one address less", { ...shown, address: [{ city: "Imus" }] }, { ...whole, address: [shop] }],
  [
    "one address more",
    { ...shown, address: [...towns, { city: "Bacoor" }] },
    { ...whole, address: [home, shop, { city: "Bacoor" }] },
  ],
  ["the other order", { ...shown, address: towns.toReversed() }, { ...whole, address: [shop, home] }],
  [
    "another town and one address more",
    { ...shown, address: [{ city: "Naga" }, { city: "Bacoor" }, { city: "Lipa" }] },
    { ...whole, address: [home, { ...shop, city: "Bacoor" }, { city: "Lipa" }] },
  ],
  ["no name", { address: towns }, { ...whole, name: { given: "Ana" } }],
  ["no address", { name: shown.name }, { name: whole.name, birthDate: whole.birthDate }],
])("what hides behind a record as it is shown stays where somebody makes of it %s", (_, made, expected) => {
  expect(unhidden(whole, shown, made as never)).toEqual(expected);
});

it("what of a list is not shown at all stays beside what is made of the others", () => {
  const phones = { telecom: [{ value: "1" }, { value: "2" }] };
  expect(unhidden(phones, {}, { telecom: [{ value: "3" }] })).toEqual({
    telecom: [{ value: "1" }, { value: "2" }, { value: "3" }],
  });
  expect(unhidden(phones, { telecom: [{ value: "2" }] }, {})).toEqual({ telecom: [{ value: "1" }] });
});

it("of items that look alike, those that were left as they are stay in their places", () => {
  const alike = [{ city: "Naga" }, { city: "Naga" }];
  const towns = [home, { ...shop, city: "Naga" }];
  for (const nth of [0, 1]) {
    const made = alike.with(nth, { city: "Lipa" });
    expect(unhidden({ address: towns }, { address: alike }, { address: made })).toEqual({
      address: towns.with(nth, { ...(towns[nth] as object), city: "Lipa" } as never),
    });
  }
});
