import { type OptionRule, StoreError, wrongOptions } from "@fieldroll/core";

/**
 * Refuses options that are missing or of another kind, as plain JavaScript may give them.
 *
 * @param call the name of the function, with which the sentence begins
 * @throws StoreError `bad-request`
 */
export function refuseOptions(
  call: string,
  options: unknown,
  rules: Readonly<Record<string, OptionRule>>,
): void {
  const wrong = wrongOptions(call, options, rules);
  if (wrong !== undefined) throw new StoreError("bad-request", wrong);
}
