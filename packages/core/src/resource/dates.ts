const form = /^(\d{4})-(\d{2})-(\d{2})$/;
const monthLengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const;

/** Whether a text is a calendar date that exists, written `YYYY-MM-DD` (Gregorian calendar, year 1 on). */
export function isCalendarDate(text: string): boolean {
  const parts = form.exec(text);
  if (!parts) return false;
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])];
  if (year < 1) return false;
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const length = month === 2 && leap ? 29 : (monthLengths[month - 1] ?? 0);
  return day >= 1 && day <= length;
}

/**
 * Says what is wrong with the day on which something begins, `YYYY-MM-DD`; `undefined` where nothing is. The day after today is right: it
 * has begun further east. Days that are later are those of a wrong clock.
 */
export function futureStart(start: string, today: string): string | undefined {
  const last = new Date(Date.parse(today) + 86_400_000).toISOString().slice(0, 10);
  return start > last ? `must not be after tomorrow, ${last}; check the clock of the device` : undefined;
}
