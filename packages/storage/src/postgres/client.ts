import { StoreError } from "@fieldroll/core";
import type { ClientConfig, CustomTypesConfig, Pool, PoolClient } from "pg";
import { incomplete, isEnded, isLost, isSettledElsewhere, refusal } from "./refusal.ts";

/** What a statement selects: a caller's word for it. */
export type Row = Readonly<Record<string, unknown>>;

/** What binds to a parameter. A list is an array of the database. */
export type Value = string | number | boolean | null | readonly (string | number | boolean)[];

/** How columns of a type are read from their text, as each row comes in. Must not throw. */
export interface Parsers {
  readonly varchar: (text: string) => unknown;
}

/** How a statement that reads is run. */
export interface ReadingOptions {
  readonly parsers?: Parsers;
  /** Asked while it runs: after `false` the server is asked to stop it. Default: always true. */
  readonly isWanted?: () => boolean;
}

/** So often it is asked whether a statement is still wanted, in milliseconds. */
const askedEach = 100;

/** The number of `varchar` among the types of every PostgreSQL. */
const varchar = 1043;

/** Statements that see each other's work, and are made together. */
export interface Transaction {
  rows<R extends Row>(text: string, values?: readonly Value[]): Promise<readonly R[]>;
}

/** How statements reach a database. */
export interface Reaching {
  readonly pool: Pool;
  /** Makes a connection that only asks the server to stop a statement. */
  readonly canceller: () => Canceller;
  /** Milliseconds that a statement may take. */
  readonly statementTimeout: number;
  /** Whether connections keep prepared statements. */
  readonly prepared: boolean;
  /** Names the database in messages, without its password. */
  readonly where: string;
}

/** What of the client's connection is needed to cancel. The client's own `cancel` asks for the running query object. */
export interface Canceller {
  readonly host: string;
  readonly port: number;
  readonly connection: {
    connect(port: number, host: string): void;
    on(event: string, then: (...args: unknown[]) => void): void;
    cancel(processID: number, secretKey: unknown): void;
  };
}

/** A connection that was cancelled has so long, in milliseconds, to say so; then it is given up. */
const grace = 5000;

/**
 * Where in the server a warning comes from that standbys may lack what was written: the only part of it that is neither translated nor
 * common to warnings of other things, such as of transaction numbers that run out.
 */
const unreplicated = "SyncRepWaitForLSN";

/** What is read of a server's notice. */
interface NoticeMessage {
  readonly routine?: string | undefined;
  readonly message?: string | undefined;
}

/** A transaction that collided with others is tried so often. */
const mostTries = 30;

/** A database with a pool of connections. Statements are sent one at a time: nothing rests on a session. */
export class Database implements Transaction {
  readonly #reaching: Reaching;
  readonly #running = new Set<Promise<unknown>>();
  readonly #names = new Map<string, string>();
  /** Connections whose server was asked to stop something: that may arrive late, and stop what comes next instead. */
  readonly #asked = new WeakSet<PoolClient>();
  #closing: Promise<void> | undefined;
  #hasKnownSchema: (() => Promise<boolean>) | undefined;

  constructor(reaching: Reaching) {
    this.#reaching = reaching;
    // A connection that breaks while nobody uses it is no more than one to be replaced.
    reaching.pool.on("error", () => undefined);
    // Nor is one that breaks between two statements of who uses it: the next statement says so.
    reaching.pool.on("connect", (client) => client.on("error", () => undefined));
  }

  /** By `asks` it is found whether later software has upgraded a schema in which something was not found. */
  knowSchema(asks: { readonly sql: string; readonly migrations: number }): void {
    this.#hasKnownSchema = async () => {
      const rows = await this.#once<{ migrations: number }>(asks.sql, [], {}).catch(() => []);
      return rows[0]?.migrations === asks.migrations;
    };
  }

  /** Milliseconds that a statement may take. */
  get statementTimeout(): number {
    return this.#reaching.statementTimeout;
  }

  /** How many there are at most. */
  get connections(): number {
    return this.#reaching.pool.options.max ?? 10;
  }

  get where(): string {
    return this.#reaching.where;
  }

  /** A call on the store, of however many statements: `close` waits for its end. */
  calling<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing) {
      const message = `${this.where}: this store was closed. Open the database again.`;
      return Promise.reject(new StoreError("closed", message));
    }
    const call = work();
    this.#running.add(call);
    const done = () => this.#running.delete(call);
    call.then(done, done);
    return call;
  }

  /** Reads. A connection that turns out to be lost is replaced, once; where transactions are serializable, a read may collide too. */
  rows<R extends Row>(
    text: string,
    values: readonly Value[] = [],
    options: ReadingOptions = {},
  ): Promise<readonly R[]> {
    return this.#run(async () => {
      try {
        return await again(() => this.#once<R>(text, values, options));
      } catch (error) {
        if (!isLost(error)) throw error;
        return again(() => this.#once<R>(text, values, options));
      }
    });
  }

  /** Writes with one statement, again where the database broke it off for the sake of another one: nothing was written then. */
  write<R extends Row>(text: string, values: readonly Value[] = []): Promise<readonly R[]> {
    return this.writing(() => this.send<R>(text, values));
  }

  /** Something that writes by {@link send}, at some time: what it throws becomes the port's error. */
  writing<T>(work: () => Promise<T>): Promise<T> {
    return this.#run(work, "write");
  }

  /** Sends a statement that writes, for {@link writing}; throws what the database and the client throw. */
  send<R extends Row>(text: string, values: readonly Value[]): Promise<readonly R[]> {
    return again(() => this.#once<R>(text, values, { writes: true }));
  }

  /**
   * Runs several statements as one transaction.
   *
   * @param options.patient whether a statement may take as long as it takes; one that waits for another's lock never may
   */
  transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    { patient = false }: { readonly patient?: boolean } = {},
  ): Promise<T> {
    const { statementTimeout } = this.#reaching;
    return this.#run(() =>
      again(() =>
        this.#connected(async (client) => {
          const run = async <R extends Row>(text: string, values: readonly Value[] = []) => {
            const answer = client.query<R>(text, [...values]);
            return (await (patient ? answer : this.#inTime(client, answer))).rows;
          };
          // Whoever waits for a lock has to see what its holder did, whatever the database or the role sets.
          await this.#inTime(client, client.query("BEGIN ISOLATION LEVEL READ COMMITTED"));
          try {
            await run(
              `SET LOCAL lock_timeout = ${statementTimeout}; SET LOCAL client_min_messages = warning`,
            );
            if (patient) await run("SET LOCAL statement_timeout = 0");
            const result = await work({ rows: run });
            // What waits for a standby here keeps all that it has locked.
            await this.#unwarned(client, () => this.#inTime(client, client.query("COMMIT")));
            return result;
          } catch (error) {
            // A connection that did not answer is given up: it would not answer to this either.
            if (error instanceof StoreError) throw error;
            await client.query("ROLLBACK").catch(() => undefined);
            throw error;
          }
        }),
      ),
    );
  }

  /** Waits for the calls that run. */
  close(): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(() => this.#reaching.pool.end());
    return this.#closing;
  }

  #run<T>(work: () => Promise<T>, kind?: "write"): Promise<T> {
    return work().catch(async (error: unknown) => {
      const told = refusal(error, this.where, kind);
      if (told === error || told.code !== "newer-schema" || !(await this.#hasKnownSchema?.())) throw told;
      throw incomplete(error, this.where);
    });
  }

  #once<R extends Row>(
    text: string,
    values: readonly Value[],
    { parsers, isWanted, writes = false }: ReadingOptions & { readonly writes?: boolean },
  ): Promise<readonly R[]> {
    return this.#connected(async (client) => {
      const name = this.#reaching.prepared ? { name: this.#nameOf(text) } : {};
      const types = parsers && { types: typesOf(client, parsers) };
      const send = () =>
        this.#inTime(client, client.query<R>({ text, values: [...values], ...name, ...types }), isWanted);
      return (await (writes ? this.#unwarned(client, send) : send())).rows;
    });
  }

  /**
   * A server that is asked to stop while it waits for its standbys has made the commit already: it answers that it did, and only
   * warns that they may not have it.
   */
  async #unwarned<T>(client: PoolClient, send: () => Promise<T>): Promise<T> {
    let warning: string | undefined;
    const note = ({ routine, message }: NoticeMessage) => {
      if (routine === unreplicated) warning = message;
    };
    client.on("notice", note);
    try {
      const answer = await send();
      if (warning === undefined) return answer;
    } finally {
      client.removeListener("notice", note);
    }
    throw new StoreError(
      "unavailable",
      `${this.#reaching.where}: the server wrote this, and warned (${warning}). Whether this outlives the loss of the server is not ` +
        "known; see that its standbys answer (pg_stat_replication, synchronous_standby_names).",
    );
  }

  async #connected<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.#reaching.pool.connect();
    let broken = false;
    try {
      return await work(client);
    } catch (error) {
      broken = isLost(error) || isEnded(error) || error instanceof StoreError;
      throw error;
    } finally {
      client.release(broken || this.#asked.has(client));
    }
  }

  async #inTime<T>(client: PoolClient, answer: Promise<T>, isWanted?: () => boolean): Promise<T> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let asking: ReturnType<typeof setInterval> | undefined;
    const late = new Promise<never>((_, reject) => {
      const stop = () => {
        clearTimeout(timer);
        clearInterval(asking);
        this.#asked.add(client);
        cancel(this.#reaching.canceller(), client);
        timer = setTimeout(() => reject(this.#gaveUp()), grace);
      };
      timer = setTimeout(stop, this.#reaching.statementTimeout);
      if (isWanted) asking = setInterval(() => isWanted() || stop(), askedEach);
    });
    try {
      return await Promise.race([answer, late]);
    } finally {
      clearTimeout(timer);
      clearInterval(asking);
    }
  }

  #gaveUp(): StoreError {
    const { statementTimeout, where } = this.#reaching;
    return new StoreError(
      "unavailable",
      `${where}: no answer within ${statementTimeout} ms, and none to the request to stop. Whether it was done is not known; ` +
        "check the network and the server.",
    );
  }

  #nameOf(text: string): string {
    const known = this.#names.get(text);
    if (known !== undefined) return known;
    const name = `fieldroll_${this.#names.size}`;
    this.#names.set(text, name);
    return name;
  }
}

function typesOf(client: PoolClient, parsers: Parsers): CustomTypesConfig {
  const getTypeParser: CustomTypesConfig["getTypeParser"] = (type, format) =>
    Number(type) === varchar ? parsers.varchar : client.getTypeParser(type, format);
  return { getTypeParser };
}

/** Two that lock what the other one wants, or meet in the middle of a row being made: one of them has to start over. */
async function again<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isSettledElsewhere(error) || tries >= mostTries) throw error;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * Math.min(2 ** tries, 100)));
    }
  }
}

/** Asks the server, or a pooler before it, to stop what a connection runs. The connection's own answer tells whether it did. */
function cancel({ connection, host, port }: Canceller, client: PoolClient): void {
  const { processID, secretKey } = client as unknown as { processID: number; secretKey: unknown };
  const send = () => connection.cancel(processID, secretKey);
  connection.on("error", () => undefined);
  connection.on("connect", send);
  connection.on("sslconnect", send);
  connection.connect(port, host);
}

/** The parts of the client's configuration that this adapter sets. */
export type Connecting = ClientConfig;
