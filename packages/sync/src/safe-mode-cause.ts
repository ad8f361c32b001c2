/** Why nothing can be kept on a device; each has a remedy of its own. */
export type SafeModeCause =
  /** The browser keeps no data here, as in private mode. */
  | "no-storage"
  | "no-space"
  /** A newer version of the app has written the records of this device. */
  | "newer-version"
  /** Another tab has an earlier version of the app open, which keeps the records from being upgraded. */
  | "other-tab"
  /** The browser's data of this site was deleted while the app was open. A worker goes on with a new store. */
  | "cleared"
  /** The page and its worker are of different builds of the app: one was loaded before an update, and the other after it. */
  | "other-build"
  /** The worker's script did not come, or has said nothing yet. */
  | "not-loaded"
  /** Anything else, such as a damaged disk; `lastError` has what was said. */
  | "unreadable";
