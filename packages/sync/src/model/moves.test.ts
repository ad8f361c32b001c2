import type { Json } from "@fieldroll/core";
import { expect, it } from "vitest";
import { lastStepFrom } from "./moves.ts";

it.each<{ from: Json; steps: readonly Json[]; to: Json; last: Json }>([
  { from: "draft", steps: ["enrolled"], to: "enrolled", last: "draft" },
  { from: "draft", steps: ["enrolled", "exited"], to: "exited", last: "enrolled" },
  { from: "draft", steps: ["enrolled", "paused", "exited"], to: "exited", last: "enrolled" },
  { from: "enrolled", steps: ["enrolled", "exited"], to: "exited", last: "enrolled" },
  { from: "draft", steps: ["exited"], to: "exited", last: "draft" },
  { from: "draft", steps: [], to: "exited", last: "draft" },
  { from: "unheard of", steps: ["enrolled"], to: "exited", last: "unheard of" },
])("from $from through $steps the last step to $to leads from $last", ({ from, steps, to, last }) => {
  expect(lastStepFrom(from, steps, to)).toBe(last);
});
