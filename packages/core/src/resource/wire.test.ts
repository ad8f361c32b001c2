import { expect, it } from "vitest";
import * as z from "zod";
import { groupSchema } from "./group.ts";
import { individualSchema } from "./individual.ts";
import { membershipSchema } from "./membership.ts";
import { programSchema } from "./program.ts";

// Tablets stay offline for months: a change here is a decision about records that are already on their way.
it.each([
  ["Individual", individualSchema],
  ["Group", groupSchema],
  ["Program", programSchema],
  ["ProgramMembership", membershipSchema],
] as const)("keeps the wire form of %s", (type, schema) => {
  expect(z.toJSONSchema(schema, { io: "input" })).toMatchSnapshot(type);
});
