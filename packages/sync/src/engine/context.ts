import type { Store } from "@fieldroll/core";
import type { Pace } from "../model/pace.ts";
import type { Api } from "../transport/api.ts";
import type { Past } from "./state.ts";

/** What pushing and pulling work with. */
export interface SyncContext {
  readonly store: Store;
  /** What this device keeps a copy of. */
  readonly feeds: readonly string[];
  readonly api: Api;
  readonly clock: () => Date;
  /** The server's time, where this device's clock is far from it: what is kept for some days must not age by a clock that is wrong. */
  readonly serverTime: () => Date;
  readonly random: () => number;
  readonly newId: () => string;
  /** How runs went before this one. */
  readonly past: () => Past;
  /** Whether photos are to be sent now. */
  readonly photos: () => boolean;
  /** Whether more is to be sent and fetched: a person may want a pause, or the app is closing. */
  readonly goesOn: () => boolean;
  /** Called when something that the status shows changed. */
  readonly changed: () => void;
  /** Resolves when those who listen have been told what there is to tell now. */
  readonly told: () => Promise<void>;
  /** How much a page asks for; the same for all feeds and runs, as they have one network. */
  readonly pace: { current: Pace };
  /** Resolves when those who look something up have been answered, or it has taken long. */
  readonly giveWay: () => Promise<void>;
}
