import { asciiDigits } from "./digits.ts";

/** A day as a form holds one: each part as typed. */
export interface DayValues {
  readonly day: string;
  readonly month: string;
  readonly year: string;
}

/** What the parts come to: a day `YYYY-MM-DD`, or why they are none. */
export type DayTyped = { readonly date: string } | { readonly is: "empty" | "incomplete" | "unreal" };

/** Fills the parts from a day `YYYY-MM-DD`, or leaves them empty. */
export function dayValues(date: string | null | undefined): DayValues {
  const [year = "", month = "", day = ""] = date?.split("-") ?? [];
  return { day: unpadded(day), month: unpadded(month), year };
}

/** Reads the parts. */
export function dayTyped({ day, month, year }: DayValues): DayTyped {
  const parts = [year, month, day].map((part) => asciiDigits(part.trim()));
  if (parts.every((part) => part === "")) return { is: "empty" };
  if (parts.some((part) => part === "")) return { is: "incomplete" };
  if (!parts.every((part) => /^\d+$/.test(part))) return { is: "unreal" };
  const date = parts.map((part, at) => part.padStart(at === 0 ? 4 : 2, "0")).join("-");
  return isRealDay(date) ? { date } : { is: "unreal" };
}

function isRealDay(day: string): boolean {
  const date = new Date(`${day}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(day);
}

function unpadded(part: string): string {
  return part.replace(/^0+/, "");
}
