import type { SafeModeCause } from "./safe-mode-cause.ts";

/** What the engine is doing. */
export type EnginePhase =
  | "stopped"
  | "signed-out"
  /** A person wants nothing to be sent or fetched for now; edits are kept. */
  | "paused"
  | "offline"
  | "idle"
  | "pulling"
  | "pushing"
  /** Waits for `nextAttemptAt` after a failure. */
  | "waiting"
  /** Edits can't be made durable here; they are refused. */
  | "safe-mode";

/** What keeps a device from its server, as far as a browser can tell. */
export interface NetworkProblem {
  /**
   * `captive-portal`: something else answered in the server's place, such as the sign-in page of a network. `no-connection`: the device is
   * online, and no connection came about: no server, no network behind the Wi-Fi, somebody else's certificate, or a network that wants a
   * sign-in. A browser does not tell these apart.
   */
  readonly reason: "captive-portal" | "no-connection";
  /** An address to open in a tab of its own: a captive portal shows its page there. */
  readonly link: string;
}

/** Progress that a person can see. All instants are UTC, ISO 8601. */
export interface SyncStatus {
  readonly phase: EnginePhase;
  /** Why the phase is `safe-mode`; `null` in any other. It goes by itself when its cause does. */
  readonly safeMode: SafeModeCause | null;
  readonly signedInAs: string | null;
  /**
   * What the server granted at the sign-in, such as `registry:write`: what may be seen here and what can be sent. `null` where
   * nobody is signed in, or the server does not say. A right that was taken away since is still among them until a new sign-in.
   */
  readonly scopes: readonly string[] | null;
  /** Whether the server asks for a new sign-in; edits are kept and wait. */
  readonly needsSignIn: boolean;
  readonly pending: number;
  readonly sending: number;
  readonly parked: number;
  /** Of these, records of which nothing but the photo is left to send; it may wait for an unmetered network. */
  readonly photos: number;
  /**
   * Records with edits that had arrived and that the server lost when it was restored, together with the consent to see all of the
   * record, or with a record that this device has forgotten: they are given to it again when it shows the record whole, within 90
   * days. `oldestAt` is when the first of them had arrived.
   */
  readonly awaitingConsent: { readonly records: number; readonly oldestAt: string | null };
  /**
   * The first pull: records landed so far, whether it is complete, and while it goes on how many records a second the last page brought.
   * No server tells how many there will be.
   */
  readonly firstSync: { readonly complete: boolean; readonly records: number; readonly rate: number | null };
  readonly lastSuccessAt: string | null;
  readonly nextAttemptAt: string | null;
  /** When the oldest edit that has not arrived was made. */
  readonly oldestPendingAt: string | null;
  /**
   * The last failure, in a sentence for people: of the last run, or else of a request that is tried again later, such as one for
   * which the person's client lacks a scope.
   */
  readonly lastError: string | null;
  /** `null` while the server answers, while the device is offline, and where nothing is known. After a sign-in too, also one that failed. */
  readonly networkProblem: NetworkProblem | null;
  /**
   * How far this device's clock is ahead of the server's, in milliseconds, negative when it is behind; `null` until the server
   * has answered. In whole seconds, as the server's header `Date` is cut to them: 1000 may be no difference at all. Nothing is
   * ordered by either clock, but a person reads the times that this one writes.
   */
  readonly clockSkew: number | null;
  /** When that answer came, by this device's clock. See {@link FieldClient.clock} for what still follows from it. */
  readonly clockHeardAt: string | null;
}

/** What time it is, as well as this device can tell. */
export interface ClockReading {
  /** The present instant: this device's time, corrected by the skew of its clock where that is known. */
  readonly now: Date;
  /** The day of `now` where this device is, `YYYY-MM-DD`. */
  readonly today: string;
  /** How far the clock was ahead of the server's at the last answer, in milliseconds; `null` before there was one. */
  readonly skewMs: number | null;
  /** Whether that still holds, as far as can be told: it does not once the clock may have been set. */
  readonly isKnown: boolean;
  /** Whether to ask before a date made from `today` is saved: the clock may be wrong by more than a day, and nobody knows by how much. */
  readonly asks: boolean;
}
