import type {
  Group,
  Individual,
  Outcome,
  Page,
  Program,
  ProgramMembership,
  ResourceType,
  SearchParameters,
} from "@fieldroll/core";
import {
  createContext,
  createElement,
  type ReactNode,
  useContext,
  useMemo,
  useSyncExternalStore,
} from "react";
import type { SyncStatus } from "../status-types.ts";
import type { DeviceRecords, Explanation, FieldClient, Held, ParkedRecord, UnsentRecord } from "../types.ts";
import { type Loaded, type Reading, rereadOn } from "./reading.ts";

/** The record that each type of resource names. */
export interface RecordOf {
  readonly Individual: Individual;
  readonly Group: Group;
  readonly Program: Program;
  readonly ProgramMembership: ProgramMembership;
}

const FieldContext = createContext<FieldClient | null>(null);

/** Hands a client to the hooks of everything inside it. */
export function FieldProvider(props: {
  readonly client: FieldClient;
  readonly children?: ReactNode;
}): ReactNode {
  return createElement(FieldContext, { value: props.client }, props.children);
}

/** The client of the nearest {@link FieldProvider}. Throws without one. */
export function useFieldClient(): FieldClient {
  const client = useContext(FieldContext);
  if (!client) throw new Error("No field client here: put <FieldProvider client={…}> around the app.");
  return client;
}

/** The engine's status, newest always. */
export function useSyncStatus(): SyncStatus {
  const { status } = useFieldClient();
  return useSyncExternalStore(
    (listener) => status.subscribe(listener),
    () => status.current,
  );
}

/** One record by its reference (`Type/system|value`), with where it stands. */
export function useRecord<T extends ResourceType>(type: T, reference: string): Loaded<Held<RecordOf[T]>> {
  const client = useFieldClient();
  return useReading(
    () => rereadOn(client.changed, () => recordsOf(client, type).read(reference)),
    [client, type, reference],
  );
}

/** One page of a search on the device. `null` as parameters asks for nothing and stays `loading`. */
export function useSearch<T extends ResourceType>(
  type: T,
  parameters: SearchParameters | null,
): Loaded<Page<Held<RecordOf[T]>>> {
  const client = useFieldClient();
  const key = JSON.stringify(parameters);
  return useReading(() => {
    const asked = JSON.parse(key) as SearchParameters | null;
    if (asked === null) return idle;
    return rereadOn(client.changed, () => recordsOf(client, type).search(asked));
  }, [client, type, key]);
}

/** The records that wait for a person's decision. */
export function useParked(): Loaded<readonly ParkedRecord[]> {
  return useAllOf(readParked);
}

/** The records with something unsent. */
export function useUnsent(): Loaded<readonly UnsentRecord[]> {
  return useAllOf(readUnsent);
}

const readParked = (client: FieldClient) => client.parked();
const readUnsent = (client: FieldClient) => client.unsent();

function useAllOf<T>(read: (client: FieldClient) => Promise<readonly T[]>): Loaded<readonly T[]> {
  const client = useFieldClient();
  return useReading(
    () =>
      rereadOn(client.changed, async (): Promise<Outcome<readonly T[]>> => {
        return { ok: true, value: await read(client) };
      }),
    [client, read],
  );
}

/** Why a record looks as it does, newest always. */
export function useExplanation(reference: string): Loaded<Explanation> {
  const client = useFieldClient();
  return useReading(() => rereadOn(client.changed, () => client.explain(reference)), [client, reference]);
}

const loading: Loaded<never> = { state: "loading" };
const idle: Reading<never> = { current: () => loading, subscribe: () => () => {} };

function useReading<T>(make: () => Reading<T>, dependencies: readonly unknown[]): Loaded<T> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: the caller states what `make` closes over.
  const reading = useMemo(make, dependencies);
  return useSyncExternalStore(reading.subscribe, reading.current);
}

function recordsOf<T extends ResourceType>(client: FieldClient, type: T): DeviceRecords<RecordOf[T]> {
  const byType: { [K in ResourceType]: DeviceRecords<RecordOf[K]> } = {
    Individual: client.individuals,
    Group: client.groups,
    Program: client.programs,
    ProgramMembership: client.memberships,
  };
  return byType[type];
}
