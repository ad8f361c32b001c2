import { isJsonObject, type Json } from "../../json.ts";

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
  /** Those up to this day are being told, in order of their records. */
  readonly until?: string;
  /** The last of these records that was told. */
  readonly told?: string;
}

/** Reads a place from what a cursor said. */
export function placeOf(from: Json | undefined, now: string): FeedPlace {
  const said = isJsonObject(from) ? from : {};
  const { position, since, day, until, told } = said;
  return {
    position: typeof position === "string" ? position : null,
    since: typeof since === "string" ? since : null,
    day: typeof day === "string" ? day : now.slice(0, 10),
    ...(typeof until === "string" && { until }),
    ...(typeof told === "string" && { told }),
  };
}
