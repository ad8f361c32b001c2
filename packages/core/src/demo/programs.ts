import type { JsonObject } from "../json.ts";
import { daysBefore } from "./days.ts";

/** A program of the demonstration and when people could enter it. */
export interface DemoProgram {
  readonly reference: string;
  readonly record: JsonObject;
  /** `YYYY-MM-DD`. */
  readonly start: string;
  /** `YYYY-MM-DD`; before today. */
  readonly end?: string;
}

/** The programs of the demonstration: a pension for persons, a grant for households, and one that has ended. */
export interface DemoPrograms {
  readonly pension: DemoProgram;
  readonly grant: DemoProgram;
  readonly relief: DemoProgram;
}

/** Makes the three programs around today's date. */
export function demoPrograms(today: string, namespace: string): DemoPrograms {
  const program = programIn(namespace);
  const years = (count: number) => daysBefore(today, Math.round(count * 365.25));
  return {
    pension: program("social-pension", { start: years(4) }, [
      "Social pension",
      "A monthly pension for older persons without another one.",
      "individual",
      "60 years or older, and no other pension",
    ]),
    grant: program("family-grant", { start: years(3) }, [
      "Family cash grant",
      "A grant every two months for households with children.",
      "group",
      "A household with at least one child under 18",
    ]),
    relief: program("flood-relief", { start: years(2), end: years(1) }, [
      "Flood relief",
      "One payment to households that the floods drove from their homes.",
      "group",
      "A household that lived in a flooded district",
    ]),
  };
}

type Texts = readonly [name: string, description: string, targetType: string, eligibilityCriteria: string];

function programIn(namespace: string) {
  const system = `urn:${namespace}:program`;
  const programType = {
    coding: [
      { system: `urn:${namespace}:vocab:program-type`, code: "cash_transfer", display: "Cash transfer" },
    ],
  };
  return (
    value: string,
    period: { readonly start: string; readonly end?: string },
    [name, description, targetType, eligibilityCriteria]: Texts,
  ): DemoProgram => ({
    reference: `Program/${system}|${value}`,
    ...period,
    record: {
      type: "Program",
      identifier: [{ system, value }],
      active: true,
      name,
      description,
      programType,
      targetType,
      eligibilityCriteria,
      period,
    },
  });
}
