import { describe, expect, it } from "vitest";
import { fitted, smallEnough } from "./photo.ts";

describe("photos", () => {
  it.each([
    [
      { width: 4000, height: 3000 },
      { width: 640, height: 480 },
    ],
    [
      { width: 300, height: 200 },
      { width: 300, height: 200 },
    ],
    [
      { width: 10, height: 10_000 },
      { width: 1, height: 640 },
    ],
  ])("fit %j into %j", (size, expected) => {
    expect(fitted(size, 640)).toEqual(expected);
  });

  it("take the best quality that is small enough, else the lowest", () => {
    const text = (quality: number) => "x".repeat(200_000 * quality);
    expect(smallEnough(text).length).toBe(130_000);
    expect(smallEnough((quality) => "x".repeat(1_000_000 * quality)).length).toBe(350_000);
  });
});
