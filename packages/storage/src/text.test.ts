import fc from "fast-check";
import { expect, it } from "vitest";
import { fromColumn, pastAll, toColumn } from "./text.ts";

const unit = fc.oneof(
  fc.constantFrom("\u0001", "a", "\ud7ff", "\ud800", "\udbff", "\udc00", "\udfff", "\ue000", "\uffff", "😀"),
  fc.integer({ min: 1, max: 0xffff }).map((code) => String.fromCharCode(code)),
);
const text = fc.array(unit, { maxLength: 6 }).map((units) => units.join(""));

const bytes = (column: string) => Buffer.from(column, "utf8");

it("leaves text of most scripts as it is", () => {
  for (const plain of ["", "María José", "فاطمة علي", "सीता देवी", "東京", "tab\tand line\n"]) {
    expect(toColumn(plain)).toBe(plain);
  }
});

it("reads back what it wrote, half surrogate pairs included", () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(fromColumn(toColumn(value))).toBe(value);
    }),
  );
});

it("writes what UTF-8 can hold", () => {
  fc.assert(
    fc.property(text, (value) => {
      expect(bytes(toColumn(value)).toString()).toBe(toColumn(value));
    }),
  );
});

it("gives bytes in the order of UTF-16 code units", () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      const order = a === b ? 0 : a < b ? -1 : 1;
      expect(Buffer.compare(bytes(toColumn(a)), bytes(toColumn(b)))).toBe(order);
    }),
  );
});

it("keeps prefixes and substrings, and bounds prefixes", () => {
  fc.assert(
    fc.property(text, fc.array(unit, { maxLength: 2 }), (value, units) => {
      const part = units.join("");
      expect(toColumn(value).includes(toColumn(part))).toBe(value.includes(part));
      const starts = value.startsWith(part);
      expect(toColumn(value).startsWith(toColumn(part))).toBe(starts);
      const [column, from, below] = [toColumn(value), toColumn(part), toColumn(part) + pastAll].map(bytes);
      if (!column || !from || !below) return;
      expect(Buffer.compare(column, from) >= 0 && Buffer.compare(column, below) < 0).toBe(starts);
    }),
  );
});
