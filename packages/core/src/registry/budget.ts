import { type Problem, RegistryError } from "../problem.ts";
import { counted } from "../text.ts";

/**
 * What one request may cost to read. All verbs of a view spend from the same budget, so a bundle of searches costs no more than one
 * search. A page whose budget is spent ends early: it may be short or empty while `hasMore` is true, and its cursor goes on from there.
 */
export interface Budget {
  /**
   * Counts records that were read from the store, shown or not.
   *
   * @throws RegistryError `too-many-requests` where the request reads much, and others do so already
   */
  spendRecords(count: number): void;
  /** Counts bytes of records that are put into the answer. */
  spendBytes(count: number): void;
  /**
   * Waits until it is this request's turn to handle a text of so many bytes; at once where that is short. One request at a time
   * handles long texts, until it ends. The time of others is not counted.
   *
   * @throws RegistryError `too-many-requests` where too many others wait
   */
  handle(bytes: number): Promise<void>;
  /** Whether nobody waits for the answer any more. */
  isGone(): boolean;
  /** How many records may still be read; 0 where the caller is gone. */
  recordsLeft(): number;
  /** How many bytes may still be answered; at least 0. */
  bytesLeft(): number;
  /** Whether reading stops now: records, bytes or time are spent, or the caller is gone. */
  isSpent(): boolean;
  /** Ends the request: another one may read much now. */
  close(): void;
  /** Between two chunks of work: lets others have their turn where this request has kept them waiting for long enough. */
  pause(): Promise<void>;
}

/** The limits of a budget. Milliseconds are those of the request itself: time that others had in a pause does not count. */
export interface BudgetLimits {
  readonly records: number;
  readonly bytes: number;
  readonly milliseconds: number;
}

/** Limits how many requests read much at the same time. */
export interface LongReads {
  readonly places: number;
  /** Takes a place; false where none is free. */
  enter(): boolean;
  leave(): void;
}

/** Makes a limit of `places` requests that read much at the same time. */
export function createLongReads(places: number): LongReads {
  let taken = 0;
  return {
    places,
    enter() {
      if (taken >= places) return false;
      taken++;
      return true;
    },
    leave() {
      taken--;
    },
  };
}

/** Lets one request at a time handle long texts, such as photos. */
export interface LongTexts {
  /** Resolves when it is one's turn; false, at once, where too many others wait. */
  enter(): Promise<boolean>;
  leave(): void;
  /** Resolves once others had the processor for a while. */
  rest(): Promise<void>;
}

/** So many requests wait at most. Each holds its body meanwhile, of up to 8 MiB. */
const longestQueue = 16;

/**
 * Makes a queue for requests that handle long texts.
 *
 * @param rest resolves once others had the processor for a while; asked between two requests, and between two parts of the work on one
 */
export function createLongTexts(rest: () => Promise<void>): LongTexts {
  const waiting: (() => void)[] = [];
  let isTaken = false;
  return {
    rest,
    async enter() {
      if (waiting.length >= longestQueue) return false;
      if (isTaken) await new Promise<void>((resolve) => void waiting.push(resolve));
      isTaken = true;
      return true;
    },
    leave() {
      void rest().then(() => {
        const next = waiting.shift();
        if (next) next();
        else isTaken = false;
      });
    },
  };
}

export interface BudgetOptions extends BudgetLimits {
  /** Asked for a place once a request has read more than {@link shortRead}. Default: always free. */
  readonly longReads?: LongReads;
  /** Asked for a turn before a text of more than 256 KiB is handled. Default: always free. */
  readonly longTexts?: LongTexts;
  /** A clock that never goes back, in milliseconds. */
  readonly elapsed: () => number;
  /** Whether nobody waits for the answer any more, such as an AbortSignal of the request. */
  readonly signal?: { readonly aborted: boolean };
  /** Resolves once others had their turn, such as in the next turn of the event loop. Default: at once. */
  readonly turn?: () => Promise<void>;
}

/** A request keeps others waiting for so long at most, in milliseconds, apart from the chunk that it has begun. */
const longestStretch = 10;

/** A request that reads more records than this is a long read. Most pages look at a few hundred. */
export const shortRead = 2_000;

/** A text of more bytes than this is long. */
const longText = 256 * 1024;

const tooManyLongTexts: Problem = {
  kind: "too-many-requests",
  detail:
    "Too many requests with long bodies or photos wait already. Try again in 5 seconds, or send a smaller photo.",
  rateLimit: { limit: longestQueue, seconds: 5 },
};

function tooManyLongReads(limit: number): Problem {
  const others = `${counted(limit, "request")} that look through many records are answered at a time`;
  const next = "Try again in 2 seconds, or ask for less: by an identifier, or by more of a name.";
  return {
    kind: "too-many-requests",
    detail: `At most ${others}. ${next}`,
    rateLimit: { limit, seconds: 2 },
  };
}

/** Makes the budget of one request; its time begins now. */
export function createBudget(options: BudgetOptions): Budget {
  const { records, bytes, milliseconds, elapsed, signal, turn, longReads, longTexts } = options;
  let hasPlace = false;
  let turnOfText: Promise<boolean> | undefined;
  let hasTurn = false;
  let end = elapsed() + milliseconds;
  let since = elapsed();
  let unread = records;
  let unanswered = bytes;
  const isGone = () => signal?.aborted === true;
  const recordsLeft = () => (isGone() ? 0 : Math.max(0, unread));
  return {
    isGone,
    spendRecords(count) {
      unread -= count;
      if (!longReads || hasPlace || records - unread <= shortRead) return;
      hasPlace = longReads.enter();
      if (!hasPlace) throw new RegistryError(tooManyLongReads(longReads.places));
    },
    close() {
      if (hasPlace) longReads?.leave();
      if (hasTurn) longTexts?.leave();
      else void turnOfText?.then((isGiven) => isGiven && longTexts?.leave());
      hasPlace = false;
      hasTurn = false;
      turnOfText = undefined;
    },
    async handle(length) {
      if (!longTexts || hasTurn || length <= longText) return;
      const before = elapsed();
      // Parts of a bundle are worked on side by side: they have one turn, or a request would wait for itself.
      turnOfText ??= longTexts.enter();
      hasTurn = await turnOfText;
      if (!hasTurn) throw new RegistryError(tooManyLongTexts);
      since = elapsed();
      end += since - before;
    },
    spendBytes(count) {
      unanswered -= count;
    },
    recordsLeft,
    bytesLeft: () => Math.max(0, unanswered),
    isSpent: () => recordsLeft() === 0 || unanswered <= 0 || elapsed() >= end,
    async pause() {
      const before = elapsed();
      if (before - since < longestStretch) return;
      if (hasTurn) await longTexts?.rest();
      else await turn?.();
      since = elapsed();
      end += since - before;
    },
  };
}

/** The budget of a program that embeds the registry: it reads as much as it asks for. */
export const unlimited: Budget = {
  spendRecords() {},
  spendBytes() {},
  async handle() {},
  isGone: () => false,
  recordsLeft: () => Number.POSITIVE_INFINITY,
  bytesLeft: () => Number.POSITIVE_INFINITY,
  isSpent: () => false,
  close() {},
  async pause() {},
};
