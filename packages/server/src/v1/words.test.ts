import { expect, it } from "vitest";
import { formerError } from "./words.ts";

const extId = "0190a6b0-0000-7000-8000-000000000001";
const told: readonly (readonly [string, string])[] = [
  [`There is no program with the ext_id ${extId}.`, "There is no program with the id 7."],
  ["Program/urn:p|a%20b has ended. Choose another.", "the program has ended. Choose another."],
  [
    "This is taken: see ProgramMembership/urn:service:program-membership|0190a6b0.",
    "This is taken: see the enrollment.",
  ],
  ["/x: Individual/urn:a/b|1.2, or Group/urn:g|1", "/x: the registrant, or the group"],
  ["Send it as application/json or text/plain.", "Send it as application/json or text/plain."],
];

it.each(told)("says %j as version 1 would", (detail, error) => {
  const names = new Map([[extId, "7"]]);
  expect(formerError({ kind: "duplicate", detail }, names)).toEqual({ error, error_code: "duplicate" });
});
