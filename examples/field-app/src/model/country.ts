import { countryCodes } from "@fieldroll/core";
import { texts } from "../texts.ts";

const names = new Intl.DisplayNames("en", { type: "region", fallback: "code" });

/** The name of a country by its code of ISO 3166-1; what is no such code stays as it is. */
export function countryName(code: string): string {
  return /^[A-Z]{2}$/.test(code) ? (names.of(code) ?? code) : code;
}

const countries = [...countryCodes]
  .map((code) => ({ value: code, text: countryName(code) }))
  .sort((a, b) => a.text.localeCompare(b.text, "en"));

/** The countries to choose from, by name; `held` stays a choice even where it is no country. */
export function countryChoices(held: string): readonly { readonly value: string; readonly text: string }[] {
  const other = held !== "" && !countryCodes.has(held) ? [{ value: held, text: held }] : [];
  return [{ value: "", text: texts.app.notGiven }, ...other, ...countries];
}
