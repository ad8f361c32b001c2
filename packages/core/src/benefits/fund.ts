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

const collection = "fund";

/** What has been taken from the fund, in the fund's currency. */
export function committedOf({ committed }: Fund, total: Money): string {
  return addDecimals(subtractDecimals(total.value, total.value), committed[total.currency] ?? "0");
}

/**
 * The fund after an entitlement moved between two states (`null`: before it was there).
 *
 * @param checked whether the fund must cover what is taken; else the move comes from a trusted copy
 */
export function movedFund(
  fund: Fund,
  {
    from,
    to,
    amount,
  }: { readonly from: EntitlementState | null; readonly to: EntitlementState; readonly amount: Money },
  { checked }: { readonly checked: boolean },
): Outcome<Fund> {
  const [took, takes] = [from !== null && takesFromFund(from), takesFromFund(to)];
  if (took === takes) return success(fund);
  const now = fund.committed[amount.currency] ?? "0";
  const refused = takes && checked ? uncovered(fund, amount) : undefined;
  if (refused) return refused;
  const next = takes ? addDecimals(now, amount.value) : subtractDecimals(now, amount.value);
  return success({ ...fund, committed: { ...fund.committed, [amount.currency]: next } });
}

function uncovered({ total, committed }: Fund, amount: Money): Outcome<never> | undefined {
  if (!total) return refusal("/amount", "no_fund", "the program has no fund to take it from");
  if (total.currency !== amount.currency) {
    const message = `the program's fund is in ${total.currency}, the entitlement in ${amount.currency}`;
    return refusal("/amount/currency", "wrong_currency", message);
  }
  const after = addDecimals(committed[amount.currency] ?? "0", amount.value);
  if (compareDecimals(after, total.value) <= 0) return undefined;
  return refusal("/amount", "fund_exceeded", "is more than what remains of the program's fund");
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
