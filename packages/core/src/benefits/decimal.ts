/**
 * Exact decimals, as text: what money is counted in. A text is a number without sign and without needless zeros in front,
 * such as `5000.00`; no step of any sum is a floating point number.
 */

interface Scaled {
  readonly units: bigint;
  /** Digits after the point. */
  readonly scale: number;
}

const form = /^(?:0|[1-9]\d{0,17})(?:\.\d{1,6})?$/;

/** Whether a text is a decimal: at most 18 digits before the point and 6 after it. */
export function isDecimal(text: string): boolean {
  return form.test(text);
}

/** The sum, with as many digits after the point as the longer one has. */
export function addDecimals(a: string, b: string): string {
  const [x, y] = aligned(a, b);
  return printed({ units: x.units + y.units, scale: x.scale });
}

/** The difference, below zero too, with as many digits after the point as the longer one has. */
export function subtractDecimals(a: string, b: string): string {
  const [x, y] = aligned(a, b);
  return printed({ units: x.units - y.units, scale: x.scale });
}

/** Negative, zero or positive, as `a` is less than, equal to or more than `b`. */
export function compareDecimals(a: string, b: string): number {
  const [x, y] = aligned(a, b);
  if (x.units === y.units) return 0;
  return x.units < y.units ? -1 : 1;
}

function aligned(a: string, b: string): readonly [Scaled, Scaled] {
  const [x, y] = [read(a), read(b)];
  const scale = Math.max(x.scale, y.scale);
  return [raised(x, scale), raised(y, scale)];
}

function raised({ units, scale }: Scaled, to: number): Scaled {
  return { units: units * 10n ** BigInt(to - scale), scale: to };
}

function read(text: string): Scaled {
  const [whole = "0", fraction = ""] = text.split(".");
  return { units: BigInt(whole + fraction), scale: fraction.length };
}

function printed({ units, scale }: Scaled): string {
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, "0");
  const [whole, fraction] = [digits.slice(0, digits.length - scale), digits.slice(digits.length - scale)];
  return `${units < 0n ? "-" : ""}${whole}${scale > 0 ? `.${fraction}` : ""}`;
}
