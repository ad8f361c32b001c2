export { createFieldClient, type FieldClientOptions } from "./client/client.ts";
export type { Diagnostics, EngineFacts, EntryFacts, FeedFacts } from "./diagnostics.ts";
export { alwaysOnline, defaultPorts, hostTimers, noChannel, processLock } from "./host.ts";
export type {
  BodyReader,
  Channel,
  Connectivity,
  Fetch,
  FetchResponse,
  HostPorts,
  LeaderLock,
  Timers,
  UnsentCopy,
} from "./ports.ts";
export type { Resolution } from "./resolution.ts";
export type { SafeModeCause } from "./safe-mode-cause.ts";
export { createFieldService } from "./service/service.ts";
export type { FieldServiceOptions } from "./service-options.ts";
export type { EditableType, FieldService, HeldRecord, RecordEdit, ServiceNews } from "./service-types.ts";
export type { ClockReading, EnginePhase, NetworkProblem, SyncStatus } from "./status-types.ts";
export type {
  Attempt,
  Carried,
  ConflictPath,
  DeviceRecords,
  EditableRecords,
  Explanation,
  FieldClient,
  Held,
  Housed,
  HouseholdRegistration,
  NewRecord,
  Observable,
  ParkedRecord,
  Recipe,
  RecordState,
  RegisteredHousehold,
  SignedIn,
  SignedOut,
  SignIn,
  SignOutOptions,
  SimilarPerson,
  TakenIn,
  UnsentRecord,
  UpdateOptions,
} from "./types.ts";
