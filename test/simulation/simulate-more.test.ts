import { describe } from "vitest";
import { itHoldsInShortRuns } from "./short-runs.ts";

describe("more tablets, offices, and networks with every fault", () => {
  itHoldsInShortRuns({ nth: 1, of: 2 });
});
