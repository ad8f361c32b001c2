import type { JsonObject } from "../json.ts";
import type { Meta } from "../resource/common.ts";
import type { ResourceType } from "../resource/types.ts";
import type { Commit } from "../store/port.ts";
import type { Caller, RecordChange } from "./types.ts";

/** Where deployments differ, and a device from a server. */
export interface Policies {
  /** What a caller bound by consent sees of a record that no consent shows: nothing, or type and identifier. Default `hide`. */
  readonly withoutConsent?: "hide" | "identifiers";
  /**
   * Which of `identifier` and `active` a restricted caller, one whom consents or a list of fields bind, may change as it may other members.
   * Default: neither.
   */
  readonly restrictedWrites?: readonly ("identifier" | "active")[];
  /**
   * How many writes of a restricted client are refused as duplicates within a minute, by each process. Later ones that name identifiers are
   * answered `too-many-requests`. Default 20.
   */
  readonly refusedDuplicates?: number;
  /**
   * Whether a person is an active member of one household at most: a write that would make a second one is answered `invalid-state`, which
   * names the first. Default false. A device leaves it to the server.
   */
  readonly oneHousehold?: boolean;
  /** Whether extension data is shown only when asked for. Default `requested`; a device keeps and shows whole records. */
  readonly extensions?: "requested" | "always";
  /**
   * For which faults a change is refused: for all that the record would have, or for those that it brings. Default `all`; a device
   * edits what a server gave it that may know more than it does.
   */
  readonly faults?: "all" | "brought";
  /** Whether changes leave an audit entry, and with it a history. Default true; a device has its outbox instead. */
  readonly audit?: boolean;
  /** The feeds of a record. Default: `all`, `programs` for programs, and `area:…` by address. */
  readonly feeds?: (record: JsonObject, type: ResourceType) => readonly string[];
  /** Default: versionId counts up, lastUpdated is now and never goes back, source is the caller. */
  readonly stamp?: (previous: Meta | null, caller: Caller, now: string) => Meta;
  /**
   * Whether records that refer to a changed one are rewritten with it, when it moves or loses an identifier. Default true;
   * a device leaves that to the server.
   */
  readonly follow?: boolean;
  /** What else belongs into the commit of these changes; asked again when the commit is tried again. */
  readonly journal?: (changes: readonly RecordChange[]) => Promise<Pick<Commit, "expect" | "put" | "remove">>;
}
