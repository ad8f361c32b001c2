import { expect, it } from "vitest";
import { demoBenefits } from "./benefits.ts";
import { demoRecords } from "./records.ts";

const today = "2026-02-10";
const partner = { organization: "Hope Relief", organizationType: "ngo" };
const records = [...demoRecords({ today, households: 60 })];
const benefits = demoBenefits(records, { today, partner });

it("is the same for the same records", () => {
  expect(demoBenefits(records, { today, partner })).toEqual(benefits);
});

it("has entitlements of one cycle of the pension, in this month", () => {
  expect(benefits.cycle).toMatchObject({ start_date: "2026-02-01", end_date: "2026-02-28" });
  expect(benefits.entitlements).toHaveLength(5);
  expect(new Set(benefits.entitlements.map(({ cycle }) => cycle))).toEqual(new Set([benefits.cycle.ext_id]));
});

it("has consents to the partner, one of them withdrawn", () => {
  expect(benefits.consents.map(({ status }) => status)).toEqual(["given", "given", "given", "withdrawn"]);
});

it("refers only to records of the demonstration", () => {
  const known = new Set(
    records.map(({ type, identifier }) => {
      const [{ system, value }] = identifier as unknown as [{ system: string; value: string }];
      return `${type}/${system}|${value}`;
    }),
  );
  const used = [
    benefits.fund.program,
    ...benefits.entitlements.map(({ beneficiary }) => String(beneficiary)),
    ...benefits.consents.map(({ subject }) => String((subject as { reference: string }).reference)),
  ];
  expect(used.filter((reference) => !known.has(reference))).toEqual([]);
});
