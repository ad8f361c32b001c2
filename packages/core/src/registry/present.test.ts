import { describe, expect, it } from "vitest";
import { identifiersOnly, type Visibility, wholeVisibility } from "../consent/visibility.ts";
import type { JsonObject } from "../json.ts";
import { disability, farmer } from "../resource/extensions.ts";
import { createMemoryStore } from "../store/memory.ts";
import { checkReadOptions, present } from "./present.ts";
import { settingsOf } from "./settings.ts";
import type { ReadOptions } from "./types.ts";

const settings = settingsOf({
  store: createMemoryStore(),
  clock: () => new Date("2026-03-01T08:00:00Z"),
  newId: () => "id",
  extensions: [farmer, disability],
});
const device = { ...settings, policies: { ...settings.policies, extensions: "always" as const } };

const identifier = [{ system: "urn:id", value: "1" }];
const url = "urn:service:extension:farmer";
const person: JsonObject = {
  type: "Individual",
  identifier,
  active: true,
  name: { family: "Reyes", given: "Ana", text: "Ana Reyes" },
  birthDate: "1990-01-01",
  address: [{ city: "Imus", state: "Cavite" }, { state: "Laguna" }],
  photo: "data:image/png;base64,AA==",
  extension: { farmer: { url, farmSize: 2 }, disability: { assistanceNeeded: true } },
  meta: { versionId: "1", lastUpdated: "2026-03-01T08:00:00.000Z", source: "urn:x" },
};
const { photo, extension, ...core } = person;
const always = { type: "Individual", identifier };
const farmerOnly = { extension: { farmer: { url, farmSize: 2 } } };

function shown(
  options: ReadOptions & { readonly photo?: boolean },
  visibility: Visibility = wholeVisibility,
) {
  return present({ type: "Individual", record: person, visibility }, { photo: false, ...options }, settings);
}

describe("present", () => {
  it.each<[string, ReadOptions & { readonly photo?: boolean }, object]>([
    ["shows no extension and no photo unasked", {}, core],
    ["shows the photo on a single read", { photo: true }, { ...core, photo }],
    ["shows a photo that is named", { elements: "photo" }, { ...always, photo }],
    [
      "shows no photo that is not named, on a single read either",
      { elements: "active", photo: true },
      { ...always, active: true },
    ],
    ["keeps type and identifier", { elements: "birthDate" }, { ...always, birthDate: "1990-01-01" }],
    [
      "picks one dotted level of an object",
      { elements: "name.family" },
      { ...always, name: { family: "Reyes" } },
    ],
    [
      "picks one dotted level of each item that has it",
      { elements: "address.city" },
      { ...always, address: [{ city: "Imus" }] },
    ],
    [
      "takes a whole member before a part of it",
      { elements: "name,name.family" },
      { ...always, name: person.name },
    ],
    [
      "takes spaces around names for nothing",
      { elements: " active , birthDate" },
      { ...always, active: true, birthDate: "1990-01-01" },
    ],
    ["shows an extension that is asked for", { extensions: "farmer" }, { ...core, ...farmerOnly }],
    ["shows all extensions for *", { extensions: "*" }, { ...core, extension }],
    [
      "adds the extensions asked for to the elements",
      { elements: "active", extensions: "farmer" },
      { ...always, active: true, ...farmerOnly },
    ],
    [
      "narrows the extensions asked for to the one among the elements",
      { elements: "extension.farmer", extensions: "*" },
      { ...always, ...farmerOnly },
    ],
    ["shows no extension for naming it among the elements alone", { elements: "extension.farmer" }, always],
  ])("%s", (_name, options, expected) => {
    expect(shown(options)).toEqual(expected);
  });

  it("shows whole records where the policy says so", () => {
    const whole = { type: "Individual", record: person, visibility: wholeVisibility } as const;
    expect(present(whole, { photo: true }, device)).toEqual(person);
    expect(present(whole, { photo: true, elements: "active" }, device)).toEqual({ ...always, active: true });
  });

  it("shows nothing that the caller may not see, however it asks", () => {
    const some: Visibility = {
      basis: "active",
      fields: new Set(["type", "identifier", "name.family"]),
      extensions: new Set(["disability"]),
      consents: ["c"],
    };
    const part = { ...always, name: { family: "Reyes" } };
    expect(shown({ photo: true }, some)).toEqual(part);
    expect(shown({ elements: "name,birthDate,photo" }, some)).toEqual(part);
    expect(shown({ extensions: "*" }, some)).toEqual({
      ...part,
      extension: { disability: { assistanceNeeded: true } },
    });
  });

  it("says when no consent shows a record, among chosen elements too", () => {
    const nothing = { ...always, _consent: { status: "none" } };
    expect(shown({ photo: true, extensions: "*" }, identifiersOnly)).toEqual(nothing);
    expect(shown({ elements: "name" }, identifiersOnly)).toEqual(nothing);
  });
});

describe("checkReadOptions", () => {
  it.each<[string, ReadOptions, string, string]>([
    ["an unknown element", { elements: "name,shoe" }, "_elements", "shoe"],
    ["an unknown part of one", { elements: "name.shoe" }, "_elements", "name.shoe"],
    [
      "a second dotted level",
      { elements: "groupMembership.group.reference" },
      "_elements",
      "groupMembership.group.reference",
    ],
    ["a part of a plain value", { elements: "birthDate.year" }, "_elements", "birthDate.year"],
    ["an element of another type", { elements: "quantity" }, "_elements", "quantity"],
    ["a name that every object has", { elements: "constructor" }, "_elements", "constructor"],
    ["no element at all", { elements: "" }, "_elements", "empty"],
    ["an empty name between commas", { elements: "name,,active" }, "_elements", "empty"],
    ["an extension that is not declared", { extensions: "farmer,shoe" }, "_extensions", "shoe"],
    ["no extension at all", { extensions: "" }, "_extensions", "empty"],
    [
      "an extension that is not declared, among the elements",
      { elements: "extension.shoe" },
      "_elements",
      "extension.shoe",
    ],
  ])("refuses %s, naming it", (_name, options, field, named) => {
    const outcome = checkReadOptions(["Individual"], options, settings);
    expect(outcome).toMatchObject({ ok: false, problem: { kind: "bad-request", errors: [{ field }] } });
    expect(outcome.ok ? "" : outcome.problem.detail).toContain(named);
  });

  it.each<[string, ReadOptions]>([
    ["nothing", {}],
    ["derived members", { elements: "groupMembership.role,meta.lastUpdated" }],
    ["a declared extension among the elements", { elements: "extension.farmer,extension" }],
    ["* for extensions", { extensions: "*" }],
  ])("accepts %s", (_name, options) => {
    expect(checkReadOptions(["Individual"], options, settings).ok).toBe(true);
  });

  it("refuses an extension that no asked type has, and accepts one that some have", () => {
    expect(checkReadOptions(["Group"], { extensions: "farmer" }, settings).ok).toBe(false);
    expect(checkReadOptions(["Group", "Individual"], { extensions: "farmer" }, settings).ok).toBe(true);
  });
});
