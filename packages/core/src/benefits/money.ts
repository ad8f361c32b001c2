import * as z from "zod";
import { isJsonObject } from "../json.ts";
import { rule } from "../resource/rule.ts";
import { counted } from "../text.ts";
import { decimalsOf } from "./currencies.ts";
import { compareDecimals, isDecimal } from "./decimal.ts";

const currencySchema = z
  .string()
  .meta({ maxLength: 3 })
  .check(
    rule((value, report) => {
      if (typeof value === "string" && decimalsOf(value) === undefined) {
        report([], "invalid_code", "must be the ISO 4217 code of a currency in use, such as PHP");
      }
    }),
  );

/**
 * An exact amount: `{"value": "5000.00", "currency": "PHP"}`, with no more decimals than the currency has. A number of JSON is
 * refused, because it is a float.
 */
export const moneySchema = z
  .strictObject({
    value: z
      .string()
      .meta({ maxLength: 25 })
      .check(
        rule((value, report) => {
          if (typeof value === "string" && !isDecimal(value)) {
            report([], "invalid_value", 'must be a decimal written as text, such as "5000.00"');
          }
        }),
      ),
    currency: currencySchema,
  })
  .check(
    rule((money, report) => {
      const { value, currency } = isJsonObject(money) ? money : {};
      if (typeof value !== "string" || typeof currency !== "string" || !isDecimal(value)) return;
      const most = decimalsOf(currency);
      const digits = value.split(".")[1]?.length ?? 0;
      if (most === undefined || digits <= most) return;
      const allowed = most === 0 ? "no decimals" : `at most ${counted(most, "decimal")}`;
      report(["value"], "invalid_value", `must have ${allowed}, as amounts in ${currency} do`);
    }),
  );

/** {@link moneySchema}, more than nothing. */
export const amountSchema = moneySchema.check(
  rule((value, report) => {
    const amount = (value as { value?: unknown } | null)?.value;
    if (typeof amount === "string" && isDecimal(amount) && compareDecimals(amount, "0") === 0) {
      report(["value"], "out_of_range", "must be more than zero");
    }
  }),
);
