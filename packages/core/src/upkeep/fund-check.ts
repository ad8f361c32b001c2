import { addDecimals, compareDecimals } from "../benefits/decimal.ts";
import { entitlementCollection, storedEntitlement } from "../benefits/entitlement-document.ts";
import type { Fund } from "../benefits/fund.ts";
import { takesFromFund } from "../benefits/states.ts";
import type { Settings } from "../registry/settings.ts";
import type { StoredDocument } from "../store/port.ts";
import type { Fault } from "./finding.ts";
import { documentPages } from "./pages.ts";

/** Whether what a fund says is taken is what the entitlements of its program take, by currency. */
export async function fundFaults(
  { store }: Pick<Settings, "store">,
  { key, body }: StoredDocument,
): Promise<readonly Fault[]> {
  const { committed } = body as unknown as Fund;
  const taken = new Map<string, string>();
  const where = [{ index: "program", anyOf: [key] }];
  for await (const page of documentPages(store, { collection: entitlementCollection, where })) {
    for (const { state, amount } of page.map((document) => storedEntitlement(document).body)) {
      if (!takesFromFund(state)) continue;
      taken.set(amount.currency, addDecimals(taken.get(amount.currency) ?? "0", amount.value));
    }
  }
  const currencies = [...new Set([...taken.keys(), ...Object.keys(committed)])];
  return currencies
    .filter((currency) => compareDecimals(taken.get(currency) ?? "0", committed[currency] ?? "0") !== 0)
    .map((currency) => ({
      kind: "fund",
      message: `what it counts as taken in ${currency} is not what the program's entitlements take`,
    }));
}
