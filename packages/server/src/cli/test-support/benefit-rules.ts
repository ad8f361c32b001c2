import type { JsonObject, Outcome } from "@fieldroll/core";
import { type Doors, said } from "./doors.ts";
import { program } from "./rules.ts";
import { type Case, id, wordsAt } from "./verb-case.ts";

/** What an embedding program creates by a method, a line creates too. */
function related(
  rule: string,
  given: {
    readonly make: (doors: Doors, body: JsonObject) => Promise<Outcome<unknown>>;
    readonly violating: JsonObject;
    readonly sound: JsonObject;
    readonly faults: readonly string[];
  },
): readonly Case[] {
  const { make, violating, sound, faults } = given;
  return [
    {
      rule,
      door: "in process",
      faults,
      violating: async (doors) => said(await make(doors, violating)),
      sound: async (doors) => said(await make(doors, sound)),
    },
    {
      rule,
      door: "import",
      faults: wordsAt(faults),
      violating: ({ importLines }) => importLines(violating),
      sound: ({ importLines }) => importLines(sound),
    },
  ];
}

export const cycle = (more: object = {}): JsonObject => ({
  type: "Cycle",
  ext_id: id(2),
  program: "Program/urn:r|people",
  name: "March",
  sequence: 1,
  start_date: "2026-03-01",
  end_date: "2026-03-31",
  state: "ended",
  ...more,
});
const entitlement = (more: object = {}): JsonObject => ({
  type: "Entitlement",
  ext_id: id(3),
  cycle: id(4),
  beneficiary: "Individual/urn:p|ana",
  amount: { value: "500.00", currency: "PHP" },
  valid_from: "2026-03-01",
  valid_until: "2026-03-31",
  state: "pending_validation",
  ...more,
});
const ofCycle = (rule: string, more: object, faults: readonly string[]) =>
  related(rule, {
    make: ({ view }, body) => view.cycles.create(body),
    violating: cycle(more),
    sound: cycle(),
    faults,
  });
const ofEntitlement = (rule: string, more: object, faults: readonly string[]) =>
  related(rule, {
    make: ({ view }, body) => view.entitlements.create(body),
    violating: entitlement(more),
    sound: entitlement(),
    faults,
  });

export const ofBenefits: readonly Case[] = [
  ...ofCycle("a cycle ends after it began", { end_date: "2026-02-28" }, ["/end_date invalid_period"]),
  ...ofCycle("a cycle's state is one", { state: "open" }, ["/state invalid_value"]),
  ...ofCycle("a cycle is of a program that is there", { program: "Program/urn:r|none" }, [
    "/program unknown_reference",
  ]),
  ...ofEntitlement("an amount is more than zero", { amount: { value: "0", currency: "PHP" } }, [
    "/amount/value out_of_range",
  ]),
  ...ofEntitlement("an amount is a decimal", { amount: { value: "1e3", currency: "PHP" } }, [
    "/amount/value invalid_value",
  ]),
  ...ofEntitlement("a currency is in use", { amount: { value: "5", currency: "XXX" } }, [
    "/amount/currency invalid_code",
  ]),
  ...ofEntitlement("an entitlement ends after it began", { valid_until: "2026-02-28" }, [
    "/valid_until invalid_period",
  ]),
  ...ofEntitlement("what was not approved has no day of approval", { approved_at: "2026-02-01T08:00:00Z" }, [
    "/approved_at not_approved",
  ]),
  ...ofEntitlement(
    "nothing is approved in the future",
    { state: "approved", approved_at: "2026-03-02T08:00:00Z" },
    ["/approved_at future_date"],
  ),
];

export const ofFunds = [
  ["value", "-5", "PHP", "invalid_value"],
  ["value", "1e3", "PHP", "invalid_value"],
  ["value", "5.001", "PHP", "invalid_value"],
  ["currency", "5", "XXX", "invalid_code"],
].flatMap(([member, value, currency, code]): readonly Case[] => {
  const rule = `a fund is money, not ${value} ${currency}`;
  const bad = { value, currency };
  const good = { value: "5.00", currency: "PHP" };
  const set = async ({ view, store }: Doors, fund: object) => {
    const [at] = await store.resolve(["Program/urn:r|people"]);
    return said(await view.programDesk.setFund(at?.key ?? "", fund as never));
  };
  const renamed = { identifier: [{ system: "urn:r", value: "people" }], name: "Renamed" };
  const write = async ({ view }: Doors, fund: object) =>
    said(await view.transaction([{ verb: "create", type: "Program", body: program(), fund }]));
  return [
    {
      rule,
      door: "setFund",
      faults: [`/${member} ${code}`],
      violating: (doors) => set(doors, bad),
      sound: (doors) => set(doors, good),
    },
    {
      rule,
      door: "transaction",
      faults: [`/fund/${member} ${code}`],
      violating: (doors) => write(doors, bad),
      sound: (doors) => write(doors, good),
    },
    ...[{}, renamed].map(
      (more, i): Case => ({
        rule,
        door: i === 0 ? "import of a new program" : "import of one that is there",
        faults: new RegExp(`^/fund/${member}:`),
        violating: ({ importLines }) => importLines(program({ ...more, fund: bad })),
        sound: ({ importLines }) => importLines(program({ ...more, fund: good })),
      }),
    ),
  ];
});
