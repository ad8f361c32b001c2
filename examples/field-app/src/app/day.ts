import type { FieldError } from "@fieldroll/core";
import { useFieldClient, useSyncStatus } from "@fieldroll/sync/react";
import { useState } from "react";
import { dayText } from "../model/person-text.ts";
import { texts } from "../texts.ts";

/** The field in which a person confirms the day. */
export const dayField = "today";

/** What is asked before something is saved whose dates come from this device's day. */
export interface DayAsked {
  /** The day that was asked about, `YYYY-MM-DD`; `null` where nothing is asked. */
  readonly day: string | null;
  readonly agreed: boolean;
  agree(agreed: boolean): void;
  /** What keeps it from being saved: nothing where the clock can be believed, or where the person has confirmed this very day. */
  faults(): readonly FieldError[];
}

/** Asks before a day of a clock is saved that was wrong by more than a day, and may be still. */
export function useDay(): DayAsked {
  const client = useFieldClient();
  // The clock is what the status says of it.
  useSyncStatus();
  const [day, setDay] = useState<string | null>(null);
  const [agreed, setAgreed] = useState<string | null>(null);
  return {
    day,
    agreed: day !== null && agreed === day,
    agree: (isAgreed) => setAgreed(isAgreed ? day : null),
    faults() {
      const { asks, today } = client.clock.current;
      setDay(asks ? today : null);
      if (!asks || agreed === today) return [];
      return [{ field: dayField, code: "doubtful_day", message: texts.day.asked(dayText(today)) }];
    },
  };
}
