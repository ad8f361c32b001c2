import type {
  FieldError,
  Group,
  Individual,
  JsonObject,
  Likened,
  Likeness,
  Outcome,
  Page,
  Program,
  ProgramMembership,
  Reference,
  ResourceType,
  SearchParameters,
} from "@fieldroll/core";
import type { Diagnostics } from "./diagnostics.ts";
import type { Resolution } from "./resolution.ts";
import type { ClockReading, SyncStatus } from "./status-types.ts";

/** Where a record stands between this device and the server. */
export type RecordState =
  /** As the server last said. */
  | "synced"
  /** Edited here, not sent yet. */
  | "pending"
  /** A request with these edits is on its way, or its answer is awaited. */
  | "sending"
  /** Waits for a person: see {@link ParkedRecord}. */
  | "parked";

/** A record as the device shows it: the server's last copy with this device's edits on top. */
export interface Held<T> {
  readonly record: T;
  /** `Type/system|value`; a name of the device's own where another record has its identifiers by now. */
  readonly reference: string;
  readonly state: RecordState;
  /** The record's key on this device, whatever it is called. */
  readonly key: string;
}

/** Three values of one place in a record, of which a person chooses. `undefined` stands for "not there". */
export interface ConflictPath {
  /** JSON pointer (RFC 6901) into the merged record; items that ours removed are numbered past its arrays' ends. */
  readonly path: string;
  /** What the server had when the edits here were begun. */
  readonly base?: unknown;
  /** What this device has. */
  readonly ours?: unknown;
  /** What the server has by now. */
  readonly theirs?: unknown;
  /**
   * The paths of what is decided together with this one, itself among it and whether or not all are in conflict, such as a status with
   * the date of an exit and the reason for it: one question, and one side for all of it. Absent where this one stands for itself.
   */
  readonly together?: readonly string[];
}

/** A person, and the household that the server has them in. */
export interface Housed {
  readonly person: Reference;
  readonly household: Reference;
}

/** Why a record waits for a person, and what the person can do. */
export interface ParkedRecord {
  readonly type: ResourceType;
  readonly reference: string;
  readonly reason: /** Someone else changed the same fields: choose per path. */
    | "conflict"
    /** The server refused the content: correct the fields in `errors`. */
    | "rejected"
    /** Another record already has the identifier, or is what the server made of this one: `existing` is its address. */
    | "duplicate"
    /** This caller may not make the change. */
    | "forbidden"
    /** The record is not on the server any more, or left this device's scope. */
    | "gone";
  /** A sentence for people, from the server where it gave one. */
  readonly detail: string;
  /** The places to choose for: of a `conflict`, and of a `duplicate` whose other record is shown. Else none. */
  readonly conflicts: readonly ConflictPath[];
  /** What the server refused, by field (`rejected`); else none. */
  readonly errors: readonly FieldError[];
  /**
   * The address of the record that has the identifier (`duplicate`), where the server told it. On this device, an identifier that both
   * have leads to the record that waits: the other one is `theirs`.
   */
  readonly existing?: string;
  /**
   * Of `gone`: it is archived on the server, as a group that was merged into another one is. Sent again, the edits go to the archived
   * record, where nobody looks for them.
   */
  readonly isArchived?: boolean;
  /**
   * Of a household that was `rejected` with the code `other_household` in its `errors`: its people who are in another one, and which, so that
   * nobody is in two. It is corrected by taking them out here, or sent by itself once the device knows that they have left the other.
   */
  readonly households?: readonly Housed[];
  /** The server's copy that the edits here stand on; `null` for a record made here. */
  readonly base: JsonObject | null;
  /** The record as this device shows it. */
  readonly ours: JsonObject;
  /** The server's newer copy, of a `duplicate` the other record; `null` where none is known or shown. */
  readonly theirs: JsonObject | null;
  /** When the server wrote `theirs` (a UTC instant), and the `meta.source` that it noted; `null` where it told neither. */
  readonly written: { readonly at: string; readonly by: string } | null;
  /** Names the state the person decides on; a decision on an older one is refused. */
  readonly revision: string;
  /** UTC instant. */
  readonly since: string;
}

/** A record with changes that the server has not got. */
export interface UnsentRecord {
  readonly type: ResourceType;
  readonly reference: string;
  readonly state: Exclude<RecordState, "synced">;
  /** Whether it was made here, and the server has none of it. */
  readonly isNew: boolean;
  /** Of the oldest change: a UTC instant. */
  readonly since: string;
}

/** A value that changes: the newest one, and a call at each change. */
export interface Observable<T> {
  readonly current: T;
  /**
   * @param listener one that throws is an uncaught error of its own: others are told all the same
   * @returns a function that ends the subscription.
   * @throws TypeError for a listener that is no function
   */
  subscribe(listener: (value: T) => void): () => void;
}

/** Changes a draft in place (Immer), or returns the next state; at once: an async one is refused with `bad-request`. */
export type Recipe<T> = (draft: T) => T | void;

export interface UpdateOptions<T> {
  /**
   * What the person saw when they began, such as the record a form was filled from. Fields that someone else
   * changed since are merged; where both changed the same field, the edit is refused with a `conflict`
   * problem that names the fields in `errors`, and nothing is stored.
   */
  readonly seen?: T;
}

/** Reading and editing one type of resource on the device, with or without a network. */
export interface DeviceRecords<T> {
  read(reference: string): Promise<Outcome<Held<T>>>;
  /**
   * One page of what meets all parameters: those of the server's own search, and `name:start`, which only a device has. For each of
   * its texts a name begins with it, a person's with the given or the family name; with a blank at its end, as a whole word.
   *
   * @example
   * await client.individuals.search({ "name:start": ["eva ", "an"], limit: "20" }); // Eva Ana, and Eva Andres
   */
  search(parameters?: SearchParameters): Promise<Outcome<Page<Held<T>>>>;
}

export interface EditableRecords<T> extends DeviceRecords<T> {
  /** Resolves when the edit is durable on this device. Without an identifier, the device gives one. */
  create(record: NewRecord<T>): Promise<Outcome<Held<T>>>;
  update(reference: string, recipe: Recipe<T>, options?: UpdateOptions<T>): Promise<Outcome<Held<T>>>;
}

/** A record to be made: `type` and `identifier` may be left to the device, and `active` is `true` unless given. */
export type NewRecord<T> = Omit<T, "type" | "identifier" | "active" | "meta"> &
  Partial<Pick<T, Extract<keyof T, "identifier" | "active">>>;

/** A household and its people, registered in one durable step: all or nothing. */
export interface HouseholdRegistration {
  readonly group: NewRecord<Group>;
  readonly members: readonly {
    readonly individual: NewRecord<Individual>;
    /** A code of the relationship vocabulary, such as `head`. */
    readonly role?: string;
  }[];
  /** References of programs to enroll the household in (programs for groups). */
  readonly enrollIn?: readonly string[];
}

export interface RegisteredHousehold {
  readonly group: Held<Group>;
  readonly members: readonly Held<Individual>[];
  readonly memberships: readonly Held<ProgramMembership>[];
}

export interface SignIn {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** What a sign-in moved, in records. */
export interface SignedIn {
  /** The person's own unsent edits that were sealed here and wait in the outbox again. */
  readonly restored: number;
  /** Unsent edits of the person before, sealed until that one signs in again. */
  readonly sealed: number;
}

export interface SignOutOptions {
  /**
   * What happens to edits that the server has not got. `refuse`, the default: the person stays signed in, and a problem of
   * kind `invalid-state` says how many records have some. `seal`: this device keeps them, hidden from everybody, and they
   * come back when the same person signs in here again.
   */
  readonly unsent?: "refuse" | "seal";
}

/** What a sign-out moved, in records. */
export interface SignedOut {
  /** Unsent edits that are sealed until the person signs in again. */
  readonly sealed: number;
}

/** Unsent edits in a file, sealed with a passphrase. */
export interface Carried {
  /** How many records have some. */
  readonly records: number;
  /** The file's text. */
  readonly file: string;
}

/** What came out of such a file, in records. */
export interface TakenIn {
  /** In the outbox of the person who is signed in. */
  readonly restored: number;
  /** Of somebody else, or of records that have other unsent edits here: sealed until their person signs in here anew. */
  readonly sealed: number;
}

/** One attempt to send something of a record, and what was answered. */
export interface Attempt {
  /** UTC instant of the answer. */
  readonly at: string;
  /** Of HTTP; `null` when nobody answered. */
  readonly status: number | null;
  /** What was said, in a sentence; `null` where all went well. */
  readonly message: string | null;
}

/** Why a record looks as it does. */
export interface Explanation {
  readonly reference: string;
  readonly state: RecordState;
  /** The server's version the local edits stand on; `null` for a record made here and not sent. */
  readonly baseVersion: string | null;
  readonly edits: readonly {
    readonly id: string;
    readonly at: string;
    readonly by: string;
    readonly patch: JsonObject;
  }[];
  /** Edits that had arrived, were lost when the server was restored, and wait until a consent shows the record whole. */
  readonly awaitingConsent: readonly { readonly id: string; readonly at: string; readonly by: string }[];
  /** Failed attempts since something last changed. */
  readonly attempts: number;
  /** The last few attempts, oldest first, also those before the present request. */
  readonly answers: readonly Attempt[];
  readonly lastAnswer: string | null;
  /** UTC instant before which nothing of this record is sent; `null` for as soon as possible. */
  readonly nextAttemptAt: string | null;
  /** The record that has to reach the server first. */
  readonly blockedBy: string | null;
  readonly parked: ParkedRecord | null;
}

/** A person on this device who may be the one that is about to be registered, and why. Without the photo. */
export interface SimilarPerson extends Held<Individual>, Likeness {}

/** The one thing a field app needs to know: records that can be read and edited anywhere, and a status. */
export interface FieldClient {
  readonly individuals: EditableRecords<Individual>;
  readonly groups: EditableRecords<Group>;
  readonly programs: DeviceRecords<Program>;
  readonly memberships: EditableRecords<ProgramMembership>;
  registerHousehold(household: HouseholdRegistration): Promise<Outcome<RegisteredHousehold>>;
  /**
   * People on this device who may be a person that is about to be registered, the most alike first, at most ten. Looks at
   * indexes alone, whatever the number of records, so that a form may ask while it is being filled in.
   */
  findSimilar(person: Likened): Promise<Outcome<readonly SimilarPerson[]>>;
  /**
   * How things stand, told as they change. It is read after an edit and not before that one resolves: it shows the edit within 100
   * milliseconds, or as many as there are records unsent, at most 1,000, and the time that reading them takes.
   */
  readonly status: Observable<SyncStatus>;
  /** What time it is, read anew each time: for forms, ages, periods and defaults. An edit made under a corrected clock tells the server so. */
  readonly clock: { readonly current: ClockReading };
  /** Fires after every change of any record on the device, from whatever tab or pull: read again what is shown. */
  readonly changed: Observable<number>;
  /** Signs a person in, also in another's place: the unsent edits of either are kept for whoever made them. */
  signIn(credentials: SignIn): Promise<Outcome<SignedIn>>;
  /** Refused with `invalid-state` while edits are unsent, unless they are to be sealed. */
  signOut(options?: SignOutOptions): Promise<Outcome<SignedOut>>;
  /**
   * Runs a push and a pull now and resolves when they ended, well or not; the status says how. Rejects where this device's store can't
   * be read, as whatever tells no outcome does.
   */
  sync(): Promise<SyncStatus>;
  /** Sends and fetches nothing until {@link FieldClient.resume}, also after a restart; edits are kept. */
  pause(): Promise<void>;
  /** Ends a pause. */
  resume(): Promise<void>;
  /** The records that wait for a person, the longest waiting first: nothing of them is sent until somebody decides, or
   * corrects what was refused. */
  parked(): Promise<readonly ParkedRecord[]>;
  /** Every record with something unsent, those that wait for a person among them; the one with the oldest change first. */
  unsent(): Promise<readonly UnsentRecord[]>;
  /**
   * Carries out a person's decision on a parked record, or gives up what is pending (`discard`). It is durable here when this resolves, and the next run sends what comes of
   * it; a newer copy of the server's may park the record again.
   *
   * Problems, with nothing changed: `conflict` where the record is not the one of `revision` any more (read it again by
   * {@link FieldClient.parked}); `invalid-state` where it does not wait, or is being sent, a path has no choice or is not in conflict, both sides are
   * chosen for what is decided together, the decision is not one for its `reason`, or others made here refer to what is discarded
   * (each is in `errors`, with the code `referred_to` and its reference as the field); `bad-request` where it is no decision at all,
   * or a choice is none; `validation`, with the fields in `errors`, where what comes of it has faults that neither copy has; `not-found`
   * where the reference leads nowhere here; `authentication` where somebody else signed in meanwhile; `unavailable` where this
   * device can't keep it.
   *
   * @param reference of the record
   * @example
   * const [parked] = await client.parked();
   * if (parked?.reason === "conflict") {
   *   const { reference, revision, conflicts } = parked;
   *   const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "theirs" as const]));
   *   await client.resolve(reference, { kind: "choose", revision, choices });
   * }
   */
  resolve(reference: string, resolution: Resolution): Promise<Outcome<void>>;
  /** Tells why a record looks as it does: its unsent edits, what was answered, and what it waits for. `not-found` where it is not here. */
  explain(reference: string): Promise<Outcome<Explanation>>;
  /**
   * Puts the unsent edits of the person who is signed in into a file, to be taken in on another device when this one can't send
   * them. They stay here too, and are sent once however many devices do.
   *
   * @param passphrase at least 10 characters; without it nobody reads the file
   */
  exportUnsent(passphrase: string): Promise<Outcome<Carried>>;
  /** Takes in a file of `exportUnsent`; twice does no harm. */
  importUnsent(file: string, passphrase: string): Promise<Outcome<TakenIn>>;
  /** What to send to whoever looks into a problem: states, counts and times, and nothing of any person. */
  diagnostics(): Promise<Diagnostics>;
  /**
   * Stops the engine and lets go of the store. Nothing pending is lost. Whatever is asked from then on is refused in words, with a
   * problem `unavailable`, or a rejection where no outcome is told; another `close` is none.
   */
  close(): Promise<void>;
}
