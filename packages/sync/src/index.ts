export { createFieldClient, type FieldClientOptions } from "./client/client.ts";
export { alwaysOnline, defaultPorts, hostTimers, noChannel, processLock } from "./host.ts";
export type {
  Channel,
  Connectivity,
  Fetch,
  FetchResponse,
  HostPorts,
  LeaderLock,
  Timers,
} from "./ports.ts";
export { createFieldService } from "./service/service.ts";
export type { FieldServiceOptions } from "./service-options.ts";
export type { EditableType, FieldService, HeldRecord, RecordEdit, ServiceNews } from "./service-types.ts";
export type {
  ConflictPath,
  DeviceRecords,
  EditableRecords,
  EnginePhase,
  Explanation,
  FieldClient,
  Held,
  HouseholdRegistration,
  NewRecord,
  Observable,
  ParkedRecord,
  Recipe,
  RecordState,
  RegisteredHousehold,
  Resolution,
  SignIn,
  SyncStatus,
  UpdateOptions,
} from "./types.ts";
