import type { FieldError, MembershipStatus } from "@fieldroll/core";
import { useState } from "react";
import { endsForGood } from "../model/enrollment-form.ts";
import { texts } from "../texts.ts";

/** The field in which a person confirms that an enrollment may end. */
export const endingField = "ending";

/** What is asked before an enrollment is saved with a status that ends it for good. */
export interface Ending {
  readonly isAsked: boolean;
  readonly agreed: boolean;
  agree(agreed: boolean): void;
  /** What keeps it from being saved: nothing where it goes on, or where the person has confirmed that it ends. */
  faults(status: MembershipStatus): readonly FieldError[];
}

/** Asks before an enrollment ends: who pressed the wrong status could not take that back. */
export function useEnding(status: MembershipStatus | ""): Ending {
  const [asked, setAsked] = useState<MembershipStatus | null>(null);
  const [agreed, setAgreed] = useState<MembershipStatus | null>(null);
  const isAsked = status !== "" && asked === status;
  return {
    isAsked,
    agreed: isAsked && agreed === status,
    agree: (isAgreed) => setAgreed(isAgreed ? asked : null),
    faults(next) {
      const ends = endsForGood(next);
      setAsked(ends ? next : null);
      if (!ends || agreed === next) return [];
      const message = texts.enrollment.ending.asked(texts.enrollment.statuses[next] ?? next);
      return [{ field: endingField, code: "ends", message }];
    },
  };
}
