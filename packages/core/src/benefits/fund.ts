import { isJsonObject, type JsonObject } from "../json.ts";
import { failure, invalid, type Outcome, success } from "../problem.ts";
import type { Settings } from "../registry/settings.ts";
import type { Commit } from "../store/port.ts";
import { addDecimals, compareDecimals, subtractDecimals } from "./decimal.ts";
import { takesFromFund } from "./states.ts";
import type { EntitlementState, Money } from "./types.ts";

/**
 * The money of one program. What entitlements take is counted by currency also where no fund is set, so that neither the
 * order in which an import brings them nor a later fund makes a difference.
 */
export interface Fund {
  readonly total: Money | null;
  /** Currency to decimal: what approved, transferred and redeemed entitlements have taken. */
  readonly committed: Readonly<Record<string, string>>;
}

/** A fund as the store has it: the version that a commit which stands on it expects. */
export interface StoredFund {
  readonly program: string;
  /** 0 where there is none yet. */
  readonly version: number;
  readonly fund: Fund;
}

/** Where funds are kept; the key of each is its program's. */
export const fundCollection = "fund";

const collection = fundCollection;

/** What has been taken from the fund, in the fund's currency. */
export function committedOf({ committed }: Fund, total: Money): string {
  return addDecimals(subtractDecimals(total.value, total.value), committed[total.currency] ?? "0");
}

/**
 * The fund after an entitlement moved between two states (`null`: before it was there).
 *
 * @param checked whether the fund must cover what is taken; else the move comes from a trusted copy
 * @param told whether a refusal says what the fund has: its reader may see it
 */
export function movedFund(
  fund: Fund,
  {
    from,
    to,
    amount,
  }: { readonly from: EntitlementState | null; readonly to: EntitlementState; readonly amount: Money },
  { checked, told = false }: { readonly checked: boolean; readonly told?: boolean },
): Outcome<Fund> {
  const [took, takes] = [from !== null && takesFromFund(from), takesFromFund(to)];
  if (took === takes) return success(fund);
  const now = fund.committed[amount.currency] ?? "0";
  const refused = takes && checked ? uncovered(fund, amount, told) : undefined;
  if (refused) return refused;
  const next = takes ? addDecimals(now, amount.value) : subtractDecimals(now, amount.value);
  return success({ ...fund, committed: { ...fund.committed, [amount.currency]: next } });
}

function uncovered(fund: Fund, amount: Money, told: boolean): Outcome<never> | undefined {
  const { total, committed } = fund;
  if (!total) return refusal("/amount", "no_fund", `is not covered: the program has no fund. ${nextStep}`);
  if (total.currency !== amount.currency) {
    const other = told ? `in ${total.currency}` : "in another currency";
    const message = `is ${amount.currency}, but the program's fund is ${other}. Correct the entitlement or the fund`;
    return refusal("/amount/currency", "wrong_currency", message);
  }
  const after = addDecimals(committed[amount.currency] ?? "0", amount.value);
  if (compareDecimals(after, total.value) <= 0) return undefined;
  const remains = told ? `the ${remaining(fund, total)} that remain` : "what remains";
  const of = told ? `fund of ${total.value} ${total.currency}` : "fund";
  const message = `${amount.value} ${amount.currency} is more than ${remains} of the program's ${of}. ${nextStep}`;
  return refusal("/amount", "fund_exceeded", message);
}

const nextStep = "Have whoever runs the program set or raise its fund, then approve again";

/** What may still be taken; what an import overspent leaves nothing. */
function remaining(fund: Fund, total: Money): string {
  const left = subtractDecimals(total.value, committedOf(fund, total));
  return `${left.startsWith("-") ? "0" : left} ${total.currency}`;
}

function refusal(field: string, code: string, message: string): Outcome<never> {
  return failure(invalid([{ field, code, message }]));
}

/** The fund after its total was set: another currency or a lower total must not undo what has been taken. */
export function fundWith(fund: Fund, total: Money): Outcome<Fund> {
  const other = Object.entries(fund.committed).find(
    ([currency, taken]) =>
      currency !== total.currency && fund.total?.currency === currency && compareDecimals(taken, "0") > 0,
  );
  if (other) {
    return refusal(
      "/currency",
      "wrong_currency",
      `entitlements were approved in ${other[0]}; the fund stays in it`,
    );
  }
  if (fund.total && compareDecimals(total.value, committedOf(fund, total)) < 0) {
    return refusal("/value", "out_of_range", "is less than what entitlements have taken already");
  }
  return success({ ...fund, total });
}

/** Reads a program's fund; an empty one where there is none. */
export async function loadFund({ store }: Pick<Settings, "store">, program: string): Promise<StoredFund> {
  const [document] = await store.get([{ collection, key: program }]);
  const body = document?.body;
  const fund = isJsonObject(body) ? (body as unknown as Fund) : { total: null, committed: {} };
  return { program, version: document?.version ?? 0, fund };
}

/** Writes a fund on the condition that it is still the one that was read: so nothing is spent twice. */
export function fundPart(before: StoredFund, fund: Fund): Pick<Commit, "expect" | "put"> {
  const at = { collection, key: before.program };
  const { version } = before;
  return {
    expect: [version === 0 ? { kind: "absent", ...at } : { kind: "version", ...at, version }],
    put: [{ ...at, version: version + 1, body: fund as unknown as JsonObject }],
  };
}
