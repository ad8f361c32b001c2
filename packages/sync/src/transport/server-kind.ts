import { isJsonObject, type Json, type JsonObject } from "@fieldroll/core";
import { fullServer, kindIn, kindOfEpoch, type PlainServer, type ServerKind } from "./plain.ts";
import type { Reply } from "./reply.ts";

/** What a server said of itself. */
export interface KindInMind {
  told?: ServerKind | undefined;
  bundled?: number;
  /** Whether it takes a record's key in the tag of a version. */
  keyed?: boolean;
  /** Whether it takes a record's key beside a reference to it. */
  refersByKey?: boolean;
  /** Whether it takes the skew of the clock that the dates of a write were made by. */
  clockSkew?: boolean;
}

/** Finds out what a server offers, and keeps it in mind. */
export interface KnownKind {
  /** What is known by now, or remembered, or told by the server; or why it could not be asked. */
  current(): Promise<ServerKind | Exclude<Reply, { kind: "ok" }>>;
  /** Whether the server, remembered as one that has more, says that it is plain by now. */
  turnedPlain(): Promise<boolean>;
  /** How many requests the server takes in one, each known by a key of its own; 1 where it can't be asked. */
  bundled(): Promise<number>;
  /** Whether the server takes a record's key in the tag of a version; so too where it can't be asked. */
  keyed(): Promise<boolean>;
  /** Whether the server takes the key of a record beside a reference to it; not so where it can't be asked. */
  refersByKey(): Promise<boolean>;
  /** Whether the server takes the skew of a clock; not so where it can't be asked. */
  takesSkew(): Promise<boolean>;
  /**
   * Asks for the change feed, unless it is known that there is none.
   *
   * @returns the reply, or what to read in its place
   */
  forReading(askForFeed: () => Promise<Reply>): Promise<Reply | PlainServer>;
}

/**
 * @param askForStatement gets the capability statement
 * @param epoch of what was read before
 * @param mind what was found out; outlasts the run that asks
 */
export function createServerKind(
  askForStatement: () => Promise<Reply>,
  epoch: () => Promise<string | null>,
  mind: KindInMind,
): KnownKind {
  /** Several requests may want to know the same at once. */
  let asking: Promise<Reply> | undefined;

  function ask(): Promise<Reply> {
    asking ??= askNow().finally(() => {
      asking = undefined;
    });
    return asking;
  }

  async function askNow(): Promise<Reply> {
    const reply = await askForStatement();
    const told = reply.kind === "ok" ? kindIn(reply.body) : undefined;
    // What is no statement of a registry, such as a captive portal's JSON, tells nothing.
    if (reply.kind === "ok" && told) Object.assign(mind, { told, ...offersIn(reply.body) });
    return reply;
  }

  /** A plain server may have become another one since it was last read: it is asked again once. */
  async function askAgain(): Promise<Reply | null> {
    if (mind.told || !kindOfEpoch(await epoch())?.plain) return null;
    const reply = await ask();
    if (mind.told) return null;
    return reply.kind === "ok" ? notTheApi : reply;
  }

  return {
    async current() {
      const known = mind.told ?? kindOfEpoch(await epoch());
      if (known) return known;
      const reply = await ask();
      return mind.told ?? (reply.kind === "ok" || reply.kind === "problem" ? fullServer : reply);
    },
    async turnedPlain() {
      if (!mind.told) await ask();
      return mind.told?.plain === true;
    },
    async bundled() {
      if (mind.bundled === undefined) await ask();
      return mind.bundled ?? 1;
    },
    async keyed() {
      if (mind.keyed === undefined) await ask();
      return mind.keyed ?? true;
    },
    async refersByKey() {
      if (mind.refersByKey === undefined) await ask();
      return mind.refersByKey ?? false;
    },
    async takesSkew() {
      if (mind.clockSkew === undefined) await ask();
      return mind.clockSkew ?? false;
    },
    async forReading(askForFeed) {
      const unknown = await askAgain();
      if (unknown) return unknown;
      if (mind.told?.plain) return mind.told;
      const reply = await askForFeed();
      if (reply.kind === "ok") mind.told = fullServer;
      if (isAbsent(reply)) await ask();
      return mind.told?.plain ? mind.told : reply;
    },
  };
}

/** What a capability statement says of bundles, of records' keys and of clocks: contract section 5. */
function offersIn({ features }: JsonObject): Omit<KindInMind, "told"> {
  const { batch, conditionalWrite, clockSkew } = memberOf(features);
  const { types, maxEntries, entryKeys } = memberOf(batch);
  const { recordKey, referenceKey } = memberOf(conditionalWrite);
  const taken = entryKeys === true && Array.isArray(types) && types.includes("batch");
  return {
    bundled: taken && typeof maxEntries === "number" ? Math.max(1, maxEntries) : 1,
    keyed: recordKey === true,
    refersByKey: referenceKey === true,
    clockSkew: clockSkew === true,
  };
}

function memberOf(value: Json | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** Whether there may be no such thing; what says so may be in between. */
function isAbsent(reply: Reply): boolean {
  if (reply.kind === "problem")
    return reply.problem === "not-found" || reply.problem === "method-not-allowed";
  return reply.kind === "no-answer" && reply.why === "not-the-api";
}

const notTheApi: Reply = {
  kind: "no-answer",
  why: "not-the-api",
  detail: "The answer is no capability statement of a registry.",
};
