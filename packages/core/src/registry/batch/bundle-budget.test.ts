import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { createBudget } from "../budget.ts";

const limits = { records: 1e6, bytes: 1e9, milliseconds: 1000, elapsed: () => 0 };
const person = (value: string) => ({
  type: "Individual",
  identifier: [{ system: "urn:p", value }],
  name: { family: "Reyes", given: "x".repeat(200) },
});
const read = (value: string) => ({ request: { method: "GET", url: `Individual/urn:p|${value}` } });
const create = (value: string) => ({
  request: { method: "POST", url: "Individual" },
  resource: person(value),
});
const bundle = (type: "batch" | "transaction", entry: readonly object[]) => ({
  resourceType: "Bundle",
  type,
  entry,
});

async function open() {
  const test = createTestRegistry();
  for (const value of ["1", "2", "3"]) unwrap(await test.view.individuals.create(person(value)));
  return test;
}

it("answers reads until the bundle's answer is full, and puts off the rest unperformed", async () => {
  const { as, view } = await open();
  const bounded = as({}, { budget: createBudget({ ...limits, bytes: 800 }) });
  const entries = [read("1"), read("2"), create("4"), read("3")];
  const { responses } = unwrap(await bounded.batch(bundle("batch", entries)));
  expect(responses.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
  expect(responses[2]?.problem?.detail).toContain("Send it again in another bundle");
  expect(await view.individuals.read("urn:p|4")).toMatchObject({ ok: false });
});

it("performs writes though the bundle has read enough", async () => {
  const { as, view } = await open();
  let time = 0;
  const bounded = as({}, { budget: createBudget({ ...limits, elapsed: () => time }) });
  time = 2000;
  const { responses } = unwrap(await bounded.batch(bundle("batch", [read("1"), create("4")])));
  expect(responses.map(({ status }) => status)).toEqual([429, 201]);
  expect(await view.individuals.read("urn:p|4")).toMatchObject({ ok: true });
});

it("commits a transaction whole, and leaves records out of an answer that is full", async () => {
  const { as, view } = await open();
  const bounded = as({}, { budget: createBudget({ ...limits, bytes: 300 }) });
  const entries = ["4", "5", "6"].map(create);
  const { responses } = unwrap(await bounded.batch(bundle("transaction", entries)));
  expect(responses.map(({ status, resource }) => [status, resource !== undefined])).toEqual([
    [201, true],
    [201, false],
    [201, false],
  ]);
  for (const value of ["4", "5", "6"])
    expect(await view.individuals.read(`urn:p|${value}`)).toMatchObject({ ok: true });
});

it("reads no more for a caller who is gone", async () => {
  const { as } = await open();
  const signal = { aborted: false };
  const bounded = as({}, { budget: createBudget({ ...limits, signal }) });
  signal.aborted = true;
  const { responses } = unwrap(await bounded.batch(bundle("batch", [read("1"), read("2")])));
  expect(responses.map(({ status }) => status)).toEqual([429, 429]);
});
