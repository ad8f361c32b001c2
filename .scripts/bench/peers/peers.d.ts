/** What the bench uses of its peers, told here because they are installed only where they are measured. */

declare module "rxdb" {
  export interface RxJsonSchema<Row> {
    readonly version: number;
    readonly primaryKey: keyof Row & string;
    readonly type: "object";
    readonly properties: Readonly<Record<keyof Row & string, object>>;
    readonly required: readonly (keyof Row & string)[];
    readonly indexes: readonly string[];
  }

  export interface RxCollection<Row> {
    readonly $: { subscribe(listener: () => void): { unsubscribe(): void } };
    find(query: object): { exec(): Promise<Row[]> };
    count(): { exec(): Promise<number> };
  }

  export interface RxDatabase {
    addCollections(collections: object): Promise<Readonly<Record<string, unknown>>>;
    close(): Promise<unknown>;
  }

  export function createRxDatabase(options: object): Promise<RxDatabase>;
}

declare module "rxdb/plugins/replication" {
  export function replicateRxCollection<Row, Checkpoint>(options: {
    readonly collection: unknown;
    readonly replicationIdentifier: string;
    readonly live: boolean;
    readonly retryTime: number;
    readonly pull: {
      readonly batchSize: number;
      handler(checkpoint: Checkpoint | undefined): Promise<{
        readonly documents: readonly (Row & { readonly _deleted: boolean })[];
        readonly checkpoint: Checkpoint;
      }>;
    };
  }): { awaitInitialReplication(): Promise<unknown> };
}

declare module "rxdb/plugins/storage-dexie" {
  export function getRxStorageDexie(): unknown;
}

declare module "pouchdb-browser" {
  interface Replication extends Promise<unknown> {
    on(event: "change", listener: () => void): void;
  }

  class PouchDB {
    constructor(name: string, options: object);
    readonly replicate: { from(address: string, options: object): Replication };
    bulkDocs(documents: readonly object[]): Promise<unknown>;
    allDocs(options: object): Promise<{ readonly rows: readonly object[] }>;
    info(): Promise<{ readonly doc_count: number }>;
    close(): Promise<void>;
  }

  export = PouchDB;
}
