import { describe, expect, it } from "vitest";
import { leavesArea, type Placed, placeOf } from "./area.ts";

const lodwar = "area:KE/Turkana/Lodwar";
const at = (city?: string): Placed => ({
  type: "Individual",
  address: [{ type: "physical", country: "KE", state: "Turkana", ...(city && { city }) }],
});

describe("leavesArea", () => {
  it.each<[string, readonly [Placed | null, Placed, string], boolean]>([
    ["a town that is written otherwise", [at("Lodwar"), at("Lodwer"), lodwar], true],
    ["a town that is taken away", [at("Lodwar"), at(), lodwar], true],
    ["an address that is taken away", [at("Lodwar"), { type: "Individual" }, lodwar], true],
    ["somebody new who lives elsewhere", [null, at("Kakuma"), lodwar], true],
    ["another street of the town", [at("Lodwar"), at("Lodwar"), lodwar], false],
    ["another town of the same province", [at("Lodwar"), at("Kakuma"), "area:KE/Turkana"], false],
    ["somebody who was not there before, either", [at("Kakuma"), at("Kibra"), lodwar], false],
    ["a device that has all areas", [at("Lodwar"), at("Kakuma"), "all"], false],
    ["a feed of the deployment's own", [at("Lodwar"), at("Kakuma"), "team:north"], false],
  ])("tells of %s", (_, [before, after, feed], leaves) => {
    expect(leavesArea(before, after, feed)).toBe(leaves);
  });

  it("takes every address as one to be found by", () => {
    const addresses = [...(at("Kakuma").address ?? []), ...(at("Lodwar").address ?? [])];
    expect(leavesArea(at("Lodwar"), { type: "Group", address: addresses }, lodwar)).toBe(false);
  });
});

describe("placeOf", () => {
  it("names the town, the province and the country", () => {
    const [address] = at("Lodwar").address ?? [];
    expect(placeOf([{ ...address, type: "physical", line: ["2 Lake Street"] }])).toBe(
      "Lodwar, Turkana, Kenya",
    );
  });

  it("says where there is no address", () => expect(placeOf(undefined)).toBe("no address"));
});
