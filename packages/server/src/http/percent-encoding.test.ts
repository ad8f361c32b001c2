import { expect, it } from "vitest";
import { faultOfAddress } from "./percent-encoding.ts";

const fieldOf = (path: string) => faultOfAddress(`http://host${path}`, "/Consent/{id}")?.errors?.[0]?.field;

it.each([
  ["/Consent/%zz", "id"],
  ["/Consent/%E0%A4", "id"],
  ["/Consent/1?name=%", "name"],
  ["/Consent/1?a=1&name=%c3%28", "name"],
  ["/Consent/1?%zz=1", "query"],
])("%s is badly encoded in %s", (path, field) => {
  expect(fieldOf(path)).toBe(field);
});

it.each(["/Consent/%7C", "/Consent/1?name=%C3%B1&x=100%25", "/Consent/1?name=a?b", "/Consent/1"])(
  "%s is well encoded",
  (path) => {
    expect(fieldOf(path)).toBeUndefined();
  },
);
