import { isJsonObject, type Json } from "../../json.ts";
import type { TurnMark } from "./calendar-turns.ts";

/** How far a reader bound by consents has come. */
export interface FeedPlace {
  /** The store's cursor; `null` at the beginning. */
  readonly position: string | null;
  /**
   * The instant at which it last knew everything: what it lost sight of since then, it is told. `null` at the beginning, when
   * it has nothing to lose.
   */
  readonly since: string | null;
  /** Consents that began or ended by the calendar up to this day, YYYY-MM-DD, are told. */
  readonly day: string;
  /** Those up to this day are being told. */
  readonly until?: string;
  /** The last of the calendar's turns of these days that was told whole. */
  readonly mark?: TurnMark;
  /** The last record told of the turn after it. */
  readonly told?: string;
}

/** Reads a place from what a cursor said. */
export function placeOf(from: Json | undefined, now: string): FeedPlace {
  const said = isJsonObject(from) ? from : {};
  const { position, since, day, until, mark, told } = said;
  return {
    position: typeof position === "string" ? position : null,
    since: typeof since === "string" ? since : null,
    day: typeof day === "string" ? day : now.slice(0, 10),
    ...(typeof until === "string" && { until }),
    ...(isMark(mark) && { mark }),
    ...(typeof told === "string" && { told }),
  };
}

function isMark(mark: Json | undefined): mark is Json & TurnMark {
  return (
    isJsonObject(mark) &&
    typeof mark.kind === "number" &&
    typeof mark.value === "string" &&
    typeof mark.key === "string"
  );
}
