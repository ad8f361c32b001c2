/** What a request tells one of a pair of servers, and what the answer tells the test, beside what a client would see. */
export const headers = {
  /** Which service the request is for. */
  service: "x-test-service",
  /** What time it is, as the test has it. */
  now: "x-test-now",
  /** What the server noted while it answered. */
  told: "x-test-told",
} as const;

/** A service of a pair: everything a server needs to make it. */
export interface PairService {
  /** Tells it from others that had its schema before. */
  readonly name: string;
  readonly schema: string;
  readonly registrations: readonly object[];
  readonly registry: object;
  readonly handler: object;
}

/** What a server noted while it answered one request. */
export interface Told {
  /** Entries of the audit trail that reads made. */
  readonly reads: readonly unknown[];
  /** The store's calls, with how many things each named. */
  readonly storeCalls: readonly string[];
}

export const packed = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64");

export const unpacked = <T>(text: string): T => JSON.parse(Buffer.from(text, "base64").toString()) as T;
