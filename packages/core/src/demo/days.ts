const day = 86_400_000;

/** The date so many days before another one; both `YYYY-MM-DD`. */
export function daysBefore(date: string, days: number): string {
  return new Date(Date.parse(date) - days * day).toISOString().slice(0, 10);
}

/** The date so many years before another one; 29 February becomes the 28th. */
export function yearsBefore(date: string, years: number): string {
  const year = String(Number(date.slice(0, 4)) - years).padStart(4, "0");
  return `${year}${date.slice(4) === "-02-29" ? "-02-28" : date.slice(4)}`;
}

/** How many days the second date is after the first. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / day);
}
