/**
 * A text with its decimal digits as ASCII ones, whatever script they were typed in: `٣`, `३` and `৩` are 3. Numbers, days and phone
 * numbers are stored so, and found by either.
 */
export function asciiDigits(text: string): string {
  return text.replace(/\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/** Unicode has the decimal digits of each script in a row, from zero to nine, and rows at most beside rows. */
function digitValue(codePoint: number): number {
  let first = codePoint;
  while (isDigit(first - 1)) first -= 1;
  return (codePoint - first) % 10;
}

function isDigit(codePoint: number): boolean {
  return codePoint >= 0 && /^\p{Nd}$/u.test(String.fromCodePoint(codePoint));
}
