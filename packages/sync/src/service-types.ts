import type { JsonObject, Likened, Outcome, Page, ResourceType, SearchParameters } from "@fieldroll/core";
import type { Diagnostics } from "./diagnostics.ts";
import type { Resolution } from "./resolution.ts";
import type { SyncStatus } from "./status-types.ts";
import type {
  Carried,
  Explanation,
  Held,
  HouseholdRegistration,
  ParkedRecord,
  RegisteredHousehold,
  SignedIn,
  SignedOut,
  SignIn,
  SignOutOptions,
  SimilarPerson,
  TakenIn,
  UnsentRecord,
} from "./types.ts";

/** The types of resource that a device makes and changes; programs it only reads. */
export type EditableType = Exclude<ResourceType, "Program">;

/** A record as it crosses a thread boundary. */
export type HeldRecord = Held<JsonObject>;

/** An edit of one record, made by a person who looked at `seen`. */
export interface RecordEdit {
  /** The record the edit started from. */
  readonly seen: JsonObject;
  /** Its key, where that is known: its name may be another record's by now. */
  readonly key?: string | undefined;
  /** The record as the person wants it. */
  readonly next: JsonObject;
  /**
   * What happens when the record on the device differs from `seen` by now: `merge` merges field by field and refuses what
   * both changed, `refuse` always refuses, so that the caller can start again from the newer record.
   */
  readonly whenChanged: "merge" | "refuse";
}

/** What a subscriber is told. */
export interface ServiceNews {
  readonly status: SyncStatus;
  /** Grows with every change of any record on the device, from whatever tab or pull. */
  readonly changes: number;
}

/**
 * The worker side of a field client: everything a page asks of the device.
 *
 * Every argument and every result is plain data that survives structured cloning, except the listener of `subscribe`,
 * which a thread boundary has to proxy. Expected failures are {@link Outcome}s; a rejection means a defect or a dead worker.
 */
export interface FieldService {
  read(type: ResourceType, reference: string): Promise<Outcome<HeldRecord>>;
  search(type: ResourceType, parameters: SearchParameters): Promise<Outcome<Page<HeldRecord>>>;
  /** Resolves when the new record is durable on this device. Without an identifier, the device gives one. */
  create(type: EditableType, record: JsonObject): Promise<Outcome<HeldRecord>>;
  /** Resolves when the edit is durable on this device. A `conflict` problem names the fields that both changed. */
  edit(type: EditableType, reference: string, edit: RecordEdit): Promise<Outcome<HeldRecord>>;
  registerHousehold(household: HouseholdRegistration): Promise<Outcome<RegisteredHousehold>>;
  /** See `findSimilar` of the client. */
  findSimilar(person: Likened): Promise<Outcome<readonly SimilarPerson[]>>;
  signIn(credentials: SignIn): Promise<Outcome<SignedIn>>;
  signOut(options?: SignOutOptions): Promise<Outcome<SignedOut>>;
  /** Runs a push and a pull now and resolves when they ended, well or not. */
  sync(): Promise<SyncStatus>;
  /** Wakes the engine: something may be there to send or to fetch. Returns at once; safe to call from anywhere, at any rate. */
  poke(): Promise<void>;
  /** Stops sending and fetching, in every tab and after a restart, or goes on with it. */
  pause(paused: boolean): Promise<void>;
  status(): Promise<SyncStatus>;
  /** See `parked`, `unsent`, `resolve` and `explain` of the client. */
  parked(): Promise<readonly ParkedRecord[]>;
  unsent(): Promise<readonly UnsentRecord[]>;
  resolve(reference: string, resolution: Resolution): Promise<Outcome<void>>;
  explain(reference: string): Promise<Outcome<Explanation>>;
  /** See `exportUnsent` and `importUnsent` of the client. */
  exportUnsent(passphrase: string): Promise<Outcome<Carried>>;
  importUnsent(file: string, passphrase: string): Promise<Outcome<TakenIn>>;
  /** Counts, states and times for whoever looks into a problem; nothing of any person. */
  diagnostics(): Promise<Diagnostics>;
  /**
   * Tells the listener the present news at once and then after every change; bursts arrive as one.
   * @param listener one that throws is an uncaught error of its own: others are told all the same
   * @returns a name for {@link FieldService.unsubscribe}.
   * @throws TypeError for a listener that is no function, as a rejection
   */
  subscribe(listener: (news: ServiceNews) => void): Promise<string>;
  unsubscribe(subscription: string): Promise<void>;
  /** Stops the engine and closes the store, whose refusal answers what is asked from then on. Nothing pending is lost. */
  close(): Promise<void>;
}
