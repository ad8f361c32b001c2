import * as z from "zod";
import { rule } from "../resource/rule.ts";
import { compareDecimals, isDecimal } from "./decimal.ts";

const currencySchema = z.string().check(
  rule((value, report) => {
    if (typeof value === "string" && !/^[A-Z]{3}$/.test(value)) {
      report([], "invalid_code", "must be an ISO 4217 code of three capital letters, such as PHP");
    }
  }),
);

/** An exact amount: `{"value": "5000.00", "currency": "PHP"}`. A number of JSON is refused, because it is a float. */
export const moneySchema = z.strictObject({
  value: z.string().check(
    rule((value, report) => {
      if (typeof value === "string" && !isDecimal(value)) {
        report([], "invalid_value", 'must be a decimal written as text, such as "5000.00"');
      }
    }),
  ),
  currency: currencySchema,
});

/** {@link moneySchema}, more than nothing. */
export const amountSchema = moneySchema.check(
  rule((value, report) => {
    const amount = (value as { value?: unknown } | null)?.value;
    if (typeof amount === "string" && isDecimal(amount) && compareDecimals(amount, "0") === 0) {
      report(["value"], "out_of_range", "must be more than zero");
    }
  }),
);
