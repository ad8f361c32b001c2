import type { GateEvent } from "../../test/browser/kills/stage/gate.ts";
import type { Kill } from "../../test/browser/kills/stage/tablet.ts";
import { randomOf } from "../torture/program.ts";

/** When a tablet is killed, and how. */
export interface Moment {
  readonly how: Kill;
  /** What is counted: edits that are begun, or requests of the engine on their way or answered. */
  readonly at: "edit begun" | GateEvent;
  readonly count: number;
  /** Time after that, in milliseconds. */
  readonly later: number;
}

const places: readonly Moment["at"][] = [
  "edit begun",
  "push asked",
  "push answered",
  "pull asked",
  "pull answered",
];
const ways: readonly Kill[] = ["browser", "browser", "browser", "renderer", "tab"];

/** The moments of one kill after the other, as the seed says. */
export function momentsOf(seed: number): () => Moment {
  const random = randomOf(`moments ${seed}`);
  // The first numbers of like texts are alike.
  for (let i = 0; i < 3; i++) random(2);
  return () => {
    const at = places[random(places.length)] ?? "edit begun";
    const how = ways[random(ways.length)] ?? "browser";
    return { how, at, count: 1 + random(at.startsWith("pull") ? 4 : 25), later: random(15) };
  };
}
