import type { FieldError } from "@fieldroll/core";
import { useState } from "react";
import { leavesArea, type Placed, placeOf } from "../model/area.ts";
import { texts } from "../texts.ts";
import { useFrame } from "./context.ts";

/** The field in which a person confirms that a record may leave the device. */
export const leavingField = "leaving";

/** What is asked before a record is saved with an address outside of the area that the device follows. */
export interface Leaving {
  /** The place that was asked about, in words; `null` where nothing is asked. */
  readonly place: string | null;
  readonly agreed: boolean;
  agree(agreed: boolean): void;
  /** What keeps a record from being saved: nothing where there is no new one, or it stays, or where the person has confirmed this very place. */
  faults(before: Placed | null, after: Placed | null): readonly FieldError[];
  /** What is said when the record is saved: `done`, and what follows from its place. */
  said(before: Placed | null, after: Placed, done?: string): string;
}

/**
 * Asks before a record leaves the device for its new address: who mistypes the town could not find it again to correct that. One that is
 * registered with such an address stays here, but no other tablet of the area has it.
 */
export function useLeaving(): Leaving {
  const { feed, area } = useFrame();
  const [place, setPlace] = useState<string | null>(null);
  const [agreed, setAgreed] = useState<string | null>(null);
  return {
    place,
    agreed: place !== null && agreed === place,
    agree: (isAgreed) => setAgreed(isAgreed ? place : null),
    faults(before, after) {
      const to = after && leavesArea(before, after, feed) ? placeOf(after.address) : null;
      setPlace(to);
      if (to === null || to === agreed) return [];
      const asked = before ? texts.leaving.asked : texts.leaving.askedNew;
      const message = asked(to, area ?? "");
      return [{ field: leavingField, code: "leaves_area", message }];
    },
    said(before, after, done = texts.app.success) {
      const saved = before ? texts.leaving.saved : texts.leaving.savedNew;
      return leavesArea(before, after, feed) ? saved(done, placeOf(after.address), area ?? "") : done;
    },
  };
}
