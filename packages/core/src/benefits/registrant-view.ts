import { isJsonObject, type Json, type JsonObject } from "../json.ts";
import type { Settings } from "../registry/settings.ts";
import { nameText } from "../resource/derived.ts";
import { genderSystem } from "../resource/vocabularies.ts";
import { modelOf } from "./ext-id.ts";
import type { Registrant, RegistrantGender } from "./types.ts";

/** The words of the registry-style endpoints for the codes of ISO 5218. */
const genderWords: Readonly<Record<string, RegistrantGender>> = {
  "0": "unknown",
  "1": "male",
  "2": "female",
  "9": "not_applicable",
};

/** The word for a gender; `null` when it has no code of ISO 5218, or is not there. */
export function genderWord(gender: Json | undefined): RegistrantGender | null {
  const codings = isJsonObject(gender) && Array.isArray(gender.coding) ? gender.coding : [];
  for (const coding of codings) {
    if (!isJsonObject(coding) || coding.system !== genderSystem) continue;
    return genderWords[String(coding.code)] ?? null;
  }
  return null;
}

/** The gender that a word stands for. */
export function genderConcept(word: RegistrantGender): JsonObject {
  const code = Object.keys(genderWords).find((one) => genderWords[one] === word) ?? "0";
  return { coding: [{ system: genderSystem, code }] };
}

/** A person in the registry-style view, from as much of the Individual as the caller sees. */
export function registrantOf(
  settings: Pick<Settings, "namespace">,
  extId: string,
  individual: JsonObject,
): Registrant {
  const { name, birthDate, gender } = individual;
  return {
    ext_id: extId,
    model: modelOf(settings, "registrant"),
    name: (isJsonObject(name) && nameText(name)) || null,
    birthdate: typeof birthDate === "string" ? birthDate : null,
    gender: genderWord(gender),
  };
}
