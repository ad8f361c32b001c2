import type { TakenIn } from "@fieldroll/sync";
import { texts } from "../texts.ts";

/** What came out of a file of unsent changes; where that is nothing, the file was opened here before. */
export function takenInText({ restored, sealed }: TakenIn): string {
  return restored + sealed === 0 ? texts.sync.carry.known : texts.sync.carry.loaded(restored, sealed);
}
