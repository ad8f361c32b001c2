import { describe, expect, it } from "vitest";
import { wholeVisibility } from "../../consent/visibility.ts";
import { createPage, type FillingPage, pageOf } from "./page.ts";

const order = { sort: { index: "name" } };

const at = (value: string, name = value, text?: string) => ({
  position: { value, key: `key of ${name}` },
  key: `key of ${name}`,
  ...(text !== undefined && {
    shown: { type: "Individual", key: `key of ${name}`, record: { text }, visibility: wholeVisibility },
  }),
});

function known(page: Pick<FillingPage, "places">) {
  const { places, horizon } = page.places();
  return { places: places.map(({ key }) => key.slice(7)), horizon: horizon?.value };
}

describe("a page", () => {
  it("is full with one record more than it shows, which is the place where the next page begins", () => {
    const page = createPage({ ...order, limit: 2 }, 1000);
    for (const name of ["a", "b"]) page.add(at(name));
    expect([page.isFull(), page.room()]).toEqual([false, 0]);
    page.add(at("c"));
    expect(page.isFull()).toBe(true);
  });

  it("is full with the record that its bytes have no room for, and does not hold it", () => {
    const page = createPage({ ...order, limit: 9 }, 50);
    page.add(at("a", "a", "x".repeat(20)));
    page.add(at("b", "b", "x".repeat(20)));
    expect(page.isFull()).toBe(true);
    expect(page.places().places.map(({ shown }) => shown !== undefined)).toEqual([true, false]);
  });

  it("takes the first record however long it is", () => {
    const page = createPage({ ...order, limit: 9 }, 50);
    page.add(at("a", "a", "x".repeat(90)));
    expect([page.isFull(), page.places().places[0]?.shown !== undefined]).toEqual([false, true]);
  });

  it("shows a record that was added and then moved once, where it was moved", () => {
    const page = createPage({ ...order, limit: 3 }, 1000);
    for (const name of ["a", "b"]) page.add(at(name));
    page.move(at("c", "a"));
    expect(known(page)).toEqual({ places: ["b", "a"], horizon: undefined });
  });

  it("leaves what moved beyond the records that were read to a later page", () => {
    const page = createPage({ ...order, limit: 2 }, 1000);
    for (const name of ["a", "b", "c"]) page.add(at(name));
    page.end({ value: "c", key: "key of c" });
    page.move(at("x", "a"));
    page.move(at("y", "b"));
    expect(known(page)).toEqual({ places: ["c"], horizon: "c" });
  });

  it("goes on beyond the records that were read when all of them moved away", () => {
    const page = createPage({ ...order, limit: 1 }, 1000);
    for (const name of ["a", "b"]) page.add(at(name));
    page.end({ value: "b", key: "key of b" });
    page.move(at("x", "a"));
    page.move(at("y", "b"));
    expect(known(page)).toEqual({ places: [], horizon: "b" });
  });

  it("begins after the cursor, and puts what is found in order", () => {
    const after = { value: "b", key: "key of b" };
    const { places } = pageOf(
      ["d", "b", "c", "a"].map((name) => at(name)),
      { ...order, after },
    );
    expect(places.map(({ position }) => position.value)).toEqual(["c", "d"]);
  });
});
