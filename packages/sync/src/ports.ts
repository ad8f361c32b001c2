import type { JsonObject } from "@fieldroll/core";

/** What a request needs of its answer: the part of `Response` that the transport reads. */
export interface FetchResponse {
  readonly status: number;
  /** `opaqueredirect` where a browser does not tell to where it was sent. */
  readonly type?: string;
  readonly headers: { get(name: string): string | null };
  /** The body as it comes, so that progress can be seen; a host may have none to show. */
  readonly body?: { getReader(): BodyReader } | null;
  text(): Promise<string>;
}

/** Reads the pieces of a body, as a `ReadableStreamDefaultReader` does. */
export interface BodyReader {
  read(): Promise<{ readonly done: boolean; readonly value?: Uint8Array | undefined }>;
}

/** How the network is reached. The global `fetch` fits, and so does a server's handler in a test. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
    readonly signal: AbortSignal;
    /** Always `manual`: a redirected write could come back as somebody's answer to a GET, and a redirect tells of a captive portal. */
    readonly redirect: "manual";
    readonly cache: "no-store";
    /** Always `omit`: the token is all a request needs, and a browser must not ask for a password of its own. */
    readonly credentials: "omit";
  },
) => Promise<FetchResponse>;

/** Calls back after a while. */
export interface Timers {
  /**
   * @param delay milliseconds, 0 or more
   * @returns a function that cancels the call.
   */
  set(delay: number, run: () => void): () => void;
}

/**
 * Lets one engine at a time talk to the server, among all that share a store. Resolves when this one is the leader;
 * the function it resolves to gives the lead back. A holder that dies loses it: no leases, no clocks (Web Locks).
 */
export interface LeaderLock {
  /** @param lost called when another one took the lead from this one */
  acquire(lost?: () => void): Promise<() => void>;
  /**
   * Takes the lead at once from a holder that lives and does not answer, such as a tab that the system has frozen. Absent where
   * no holder can be in such a state.
   *
   * @param lost as with `acquire`
   */
  take?(lost?: () => void): Promise<() => void>;
}

/** What the host says about the network. A hint: the engine tries now and then anyway. */
export interface Connectivity {
  readonly online: boolean;
  /** Whether what is sent costs money, or is to be little; where the host can't tell, it does not. */
  readonly metered?: boolean;
  /** Called when either changes. @returns a function that ends the subscription. */
  subscribe(listener: (online: boolean) => void): () => void;
}

/** Carries small messages between the services that share a store (BroadcastChannel); not back to the sender. */
export interface Channel {
  post(message: JsonObject): void;
  /** @returns a function that ends the subscription. */
  subscribe(listener: (message: JsonObject) => void): () => void;
}

/** A text outside the store, for the day when that is lost: what is unsent is kept there as well. */
export interface UnsentCopy {
  /**
   * The text that was written last; `null` where there is none. A rejection says that nobody knows what is there, so that nothing is
   * written over it until it could be read.
   */
  read(): Promise<string | null>;
  /**
   * Replaces the text in one step: broken off, the former one stays. Never one whose writing began later, by whichever tab. May reject;
   * it is written again at the next change.
   */
  write(text: string): Promise<void>;
}

/** Everything that is not a function of its arguments. */
export interface HostPorts {
  readonly fetch: Fetch;
  /** The present instant. */
  readonly clock: () => Date;
  /** A number from 0 up to 1, for jitter. */
  readonly random: () => number;
  /** A new UUIDv7 (RFC 9562). */
  readonly newId: () => string;
  readonly timers: Timers;
  readonly lock: LeaderLock;
  readonly connectivity: Connectivity;
  readonly channel: Channel;
  /** `null` on a host that has no place but the store. */
  readonly copy: UnsentCopy | null;
  /**
   * The origin of the page, such as `https://app.example`, which a server may not let in; `"null"` for one that has none of its own
   * (a file). `null` on a host that asks no server for leave.
   */
  readonly origin: string | null;
}
