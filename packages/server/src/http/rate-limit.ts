import { counted, type Problem } from "@fieldroll/core";

/** Requests that one client may send. */
export interface RateLimit {
  /** Sustained. Each 64 KiB of a body, sent or answered, count as one more. */
  readonly perSecond: number;
  /** At once, after a rest. */
  readonly burst: number;
}

/** More than a tablet's first sync or an import in bundles sends. */
export const usualRateLimit: RateLimit = { perSecond: 100, burst: 1000 };

export function isRateLimit(given: unknown): boolean {
  const { perSecond, burst } = Object(given);
  return (
    given === "off" || (Number.isFinite(perSecond) && perSecond > 0 && Number.isFinite(burst) && burst >= 1)
  );
}

/** What a client has left to send: a token bucket. */
export interface Quota {
  readonly limit: RateLimit | "off";
  /** Takes a request from it, unless it is empty: then the whole seconds to wait, and 0 otherwise. */
  take(): number;
  /** Takes the cost of a request that turned out to be several. The bucket may owe it. */
  charge(cost: number): void;
  /** What is left, once that is less than half. */
  headers(): Readonly<Record<string, string>>;
}

const unlimited: Quota = { limit: "off", take: () => 0, charge: () => {}, headers: () => ({}) };

/** As many buckets as this are kept before full ones are dropped. */
const capacity = 10_000;

/** So many bytes of a body, sent or answered, cost as much as a request. */
const bytesPerRequest = 64 * 1024;

/** What a body costs beside its request; nothing where it is small. */
export function costOfBytes(bytes: number): number {
  return Math.floor(bytes / bytesPerRequest);
}

/** Makes a bucket for each client: contract section 8. They are this process's own. */
export function createRateLimits(limit: RateLimit | "off", clock: () => Date): (clientId: string) => Quota {
  if (limit === "off") return () => unlimited;
  const buckets = new Map<string, Bucket>();
  return (clientId) => {
    const held = buckets.get(clientId);
    if (held) return held;
    if (buckets.size >= capacity) {
      for (const [id, bucket] of buckets) if (bucket.isFull()) buckets.delete(id);
      const [oldest] = buckets.keys();
      if (buckets.size >= capacity && oldest !== undefined) buckets.delete(oldest);
    }
    const bucket = new Bucket(limit, clock);
    buckets.set(clientId, bucket);
    return bucket;
  };
}

class Bucket implements Quota {
  /** Requests that are taken from it, as it was at an instant. */
  #taken = 0;
  #at = 0;
  readonly limit: RateLimit;
  readonly #clock: () => Date;

  constructor(limit: RateLimit, clock: () => Date) {
    this.limit = limit;
    this.#clock = clock;
  }

  take(): number {
    const { perSecond, burst } = this.limit;
    const lack = this.#takenNow() + 1 - burst;
    if (lack > 0) return Math.max(1, Math.ceil(lack / perSecond));
    this.#taken += 1;
    return 0;
  }

  charge(cost: number): void {
    this.#taken = this.#takenNow() + Math.min(cost, this.limit.burst);
  }

  headers(): Readonly<Record<string, string>> {
    const { perSecond, burst } = this.limit;
    const taken = this.#takenNow();
    if (taken <= burst / 2) return {};
    const remaining = Math.max(0, Math.floor(burst - taken));
    return {
      "RateLimit-Limit": String(burst),
      "RateLimit-Remaining": String(remaining),
      // Seconds until all of it is there again.
      "RateLimit-Reset": String(Math.ceil(taken / perSecond)),
    };
  }

  isFull(): boolean {
    return this.#takenNow() === 0;
  }

  #takenNow(): number {
    const now = this.#clock().getTime();
    // A clock that is put back gives nothing, and takes nothing.
    const given = (Math.max(0, now - this.#at) / 1000) * this.limit.perSecond;
    this.#taken = Math.max(0, this.#taken - given);
    this.#at = now;
    return this.#taken;
  }
}

/** Takes a request from a quota; where it is empty, the problem and the headers of the answer. */
export function spentQuota(quota: Quota) {
  const seconds = quota.take();
  const { limit } = quota;
  if (seconds === 0 || limit === "off") return undefined;
  const allowed = `${counted(limit.perSecond, "request")} a second, and ${limit.burst} at once`;
  const detail = `The client has sent too many requests: it may send ${allowed}. Try again in ${counted(seconds, "second")}.`;
  const problem = { kind: "too-many-requests", detail } as const satisfies Problem;
  return { problem, headers: { ...quota.headers(), "Retry-After": String(seconds) } };
}
