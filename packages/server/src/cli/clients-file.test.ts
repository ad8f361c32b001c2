import { describe, expect, it } from "vitest";
import { parseClients } from "./clients-file.ts";

const client = { id: "field", secret: "hush", scopes: ["registry:read"] };

describe("parseClients", () => {
  it("reads clients with all their members", () => {
    const full = {
      ...client,
      organization: "Ministry",
      organizationType: "government",
      legalBasis: "public_task",
      fields: ["name", "name.family", "member.role", "extension.farmer", "groupMembership.group"],
      purpose: "research",
      active: false,
    };
    expect(parseClients(JSON.stringify([full]))).toEqual({ clients: [full] });
  });

  it.each([
    [
      "a text that is no JSON",
      '[\n{"id": "field",\n"secret": hush}]',
      "the text is not JSON; line 3, column 11: expected a value",
    ],
    [
      "a comma too many",
      '[\n  {"id": "field",}\n]',
      "the text is not JSON; line 2, column 18: expected a name",
    ],
    ["an object instead of a list", "{}", "array"],
    ["a client that is none", "[1]", "/0: must be an object"],
    ["a missing secret", JSON.stringify([{ id: "field", scopes: [] }]), "/0/secret: is missing"],
    ["an unknown scope", JSON.stringify([{ ...client, scopes: ["all"] }]), "/0/scopes: all is no scope"],
    [
      "an unknown member",
      JSON.stringify([client, { ...client, id: "b", role: "x" }]),
      "/1/role: is no member",
    ],
    ["a prototype member", `[${JSON.stringify(client).slice(0, -1)},"__proto__":1}]`, "/0/__proto__"],
    [
      "a field that can be none",
      JSON.stringify([{ ...client, fields: ["name", "/name/family"] }]),
      "/0/fields: /name/family is no field",
    ],
    [
      "a field that no record has",
      JSON.stringify([{ ...client, fields: ["name", "birthdate"] }]),
      "/0/fields: birthdate is no field of any record; there are active, address,",
    ],
    [
      "a field that the one above it has not",
      JSON.stringify([{ ...client, fields: ["name.surname"] }]),
      "/0/fields: name.surname is no field; name has family, given, middle, prefix, suffix, text",
    ],
    [
      "a field below one that has none",
      JSON.stringify([{ ...client, fields: ["birthDate.year"] }]),
      "/0/fields: birthDate.year is no field; birthDate has none below it, so write birthDate",
    ],
    [
      "fields that are no list",
      JSON.stringify([{ ...client, fields: "name" }]),
      "/0/fields: must be an array",
    ],
    ["an unknown purpose", JSON.stringify([{ ...client, purpose: "fun" }]), "/0/purpose: fun is none of"],
    ["a wrong flag", JSON.stringify([{ ...client, active: "yes" }]), "/0/active: must be true or false"],
    ["an id used twice", JSON.stringify([client, client]), "/1/id: is already the id of /0"],
  ])("refuses %s and says where it is", (_name, text, where) => {
    const parsed = parseClients(text);
    expect("faults" in parsed ? parsed.faults.join("\n") : "").toContain(where);
  });

  it("does not repeat a secret", () => {
    const parsed = parseClients('[{"secret":"hush","scopes":1 "id":"x"}]');
    expect(JSON.stringify(parsed)).not.toContain("hush");
  });
});
