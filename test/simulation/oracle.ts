import { isJsonObject, type JsonObject } from "@fieldroll/core";
import type { ParkedRecord, Resolution } from "@fieldroll/sync";
import { checkOnce, checkOrder, type Promised, tokensIn, wrongArrival } from "./arrived.ts";
import type { ConsentWatch } from "./consents.ts";
import type { SimulatedDevice } from "./device.ts";
import { checkOwner, checkSent, checkViews, keptOn, makerOf } from "./on-tablet.ts";
import type { LedgerLine, SimulatedServer } from "./server.ts";

/**
 * Knows what was promised to people, and what became of it. Each edit of a person leaves a token in the person's record that
 * nobody else makes: where the token is, there is the edit.
 */
export interface Oracle {
  newToken(): string;
  /** A tablet has said that an edit is durable. */
  promised(device: SimulatedDevice, token: string): void;
  /** A person is about to rename somebody; it may become durable although the person never hears of it. */
  renaming(device: SimulatedDevice, renaming: Renaming): void;
  /** A person has chosen between the values of a record. A mark that was asked about and not chosen is given up. */
  chosen(device: SimulatedDevice, parked: ParkedRecord, choices: Choices): void;
  /**
   * A person has decided to give up what a tablet has not sent of a record.
   *
   * @param isUntried whether no request has ever had any of it
   * @returns takes that back, where the tablet has refused it
   */
  givenUp(device: SimulatedDevice, parked: Pick<ParkedRecord, "ours">, isUntried?: boolean): () => void;
  /** A tablet's disk is lost, and with it what was only there. */
  lost(device: SimulatedDevice): void;
  /** The server went back to a backup. @returns how many edits it lost that tablets keep */
  restored(devices: readonly SimulatedDevice[]): number;
  /** Whether a person has sent the same thing again before, in vain. */
  triedAgain(parked: ParkedRecord): boolean;
  /** Looks at everything that must hold at any time. */
  check(devices: readonly SimulatedDevice[]): void;
  /**
   * Looks at what must hold when all has come to rest.
   *
   * @returns how many edits are there twice where nothing was left by which a server could have known it
   */
  checkAtRest(devices: readonly SimulatedDevice[]): number;
  readonly violations: readonly string[];
}

/** What a person chose for each conflict, if anything. */
export type Choices = Extract<Resolution, { kind: "adopt" }>["choices"];

/** A family name that a person gave, and the one that stood there. */
export interface Renaming {
  readonly seen: string | undefined;
  readonly family: string;
}

/** Makes the oracle of a simulation. @param isCarried whether work goes from tablet to tablet in files */
export function createOracle(server: SimulatedServer, consents: ConsentWatch, isCarried = false): Oracle {
  const tokens = new Map<string, Promised>();
  const tries = new Map<string, number>();
  const violations: string[] = [];
  const versions = new Map<string, number>();
  const families = new Map<string, string>();
  const renamings = new Map<string, Renaming & { readonly device: string }>();
  const decided = new Set<string>();
  /** Tokens that the server has had, also those of edits whose person never heard that they are durable. */
  const told = new Set<string>();
  const restores: number[] = [];
  let count = 0;
  let seenLines = 0;
  takeStock();

  /** Takes what the server has now for what it had. */
  function takeStock() {
    versions.clear();
    families.clear();
    const records = server.records();
    for (const { type, key, version, record } of records) {
      versions.set(`${type}/${key}`, version);
      families.set(`${type}/${key}`, String((record.name as JsonObject | undefined)?.family));
    }
    return records;
  }

  /** Takes what the server has committed since into account. */
  function readLedger(): void {
    for (; seenLines < server.ledger.length; seenLines++) {
      const line = server.ledger[seenLines];
      if (line) readLine(line, seenLines);
    }
  }

  function readLine(line: LedgerLine, nth: number): void {
    const name = `${line.type}/${line.key}`;
    const before = versions.get(name) ?? 0;
    if (line.version !== before + 1)
      violations.push(`I5: ${name} went from version ${before} to ${line.version}`);
    versions.set(name, line.version);
    const family = String((line.record.name as JsonObject | undefined)?.family);
    checkOverwritten(line, { before: families.get(name), family });
    families.set(name, family);
    for (const token of tokensIn(line.record)) {
      told.add(token);
      const known = tokens.get(token);
      if (!known || known.line !== null) continue;
      known.line = nth;
      violations.push(...wrongArrival(token, known, line.by));
    }
  }

  /** A name that somebody else gave meanwhile is replaced by nobody who has neither seen it nor decided on it. */
  function checkOverwritten(
    line: LedgerLine,
    { before, family }: { readonly before: string | undefined; readonly family: string },
  ): void {
    const renaming = renamings.get(family);
    if (!renaming || before === undefined || before === family) return;
    const own = renamings.get(before)?.device === renaming.device;
    if (own || wasSeen(before, renaming) || tokensIn(line.record).some((token) => decided.has(token))) return;
    violations.push(
      `I9: ${family} replaced ${before} in ${line.type}/${line.key}, which ${renaming.device} had not seen`,
    );
  }

  /** What a person saw may be an unsent name of their own, given to who had another one before, on another tablet of theirs too. */
  function wasSeen(before: string, { seen, device }: Renaming & { readonly device: string }): boolean {
    if (seen === before) return true;
    const earlier = seen === undefined ? undefined : renamings.get(seen);
    const own = earlier !== undefined && (isCarried || earlier.device === device);
    return own && wasSeen(before, earlier);
  }

  /**
   * Whether a record whose edit the server lost has left a tablet's feeds since, or had before and stayed for its unsent work: then the
   * tablet lets go of it all.
   */
  function hasLeft({ returns }: Promised, device: SimulatedDevice): boolean {
    const { feeds } = device;
    const [type = "", key = ""] = returns?.name.split("/") ?? [];
    const there = server.medium.collections.get(type)?.get(key);
    if (there && !there.feeds?.some((feed) => feeds.includes(feed))) return true;
    if (returns && consents.binds(device) && consents.wasHidden(key, returns.since)) return true;
    const isTold = ({ record, feeds: telling }: LedgerLine) =>
      record.active !== false && telling.some((feed) => feeds.includes(feed));
    const since = server.ledger.slice(returns?.since ?? seenLines);
    return since.some((line) => `${line.type}/${line.key}` === returns?.name && !isTold(line));
  }

  /** I1: every edit is at the server, or still on the tablet. */
  function checkKept(device: SimulatedDevice): void {
    const kept = keptOn(device);
    for (const [token, known] of tokens) {
      const isOpen = known.device === device.name && known.line === null && known.over === null;
      if (!isOpen || kept.includes(`"${token}"`)) continue;
      if (hasLeft(known, device)) known.over = "not on the tablet any more";
      else
        violations.push(`I1: the edit ${token} of ${device.name} is neither at the server nor in the outbox`);
    }
  }

  /** What a restored server lost of a record that has left a tablet's feeds since is given to it when they tell of it again. */
  function excuseArchived(device: SimulatedDevice): void {
    for (const known of tokens.values()) {
      const isOpen = known.device === device.name && known.line === null && known.returns !== null;
      if (isOpen && hasLeft(known, device)) known.over ??= "not on the tablet any more";
    }
  }

  /** What a restored server lost together with a consent waits for that on the tablet, which says so. */
  function excuseToldOf({ name, client, medium }: SimulatedDevice): void {
    const open = [...tokens].filter(
      ([, { device, line, returns }]) => device === name && line === null && returns !== null,
    );
    const kept = [...(medium.collections.get("accepted")?.values() ?? [])].map(({ body }) =>
      JSON.stringify(body),
    );
    const waiting = kept.filter((text) => open.some(([token]) => text.includes(`"${token}"`)));
    if (waiting.length > (client?.status.current.awaitingConsent.records ?? 0)) return;
    for (const [token, known] of open)
      if (waiting.some((text) => text.includes(`"${token}"`))) known.over ??= "told of";
  }

  /**
   * A record that a restored server lost can be given back by who made it. Where that one's edit is over, those of the others have
   * nothing to be in.
   */
  function excuseOrphans(): void {
    const there = new Set(server.records().flatMap(({ record }) => identifiersIn(record)));
    for (const known of tokens.values()) {
      const { returns, line } = known;
      if (line !== null || returns === null) continue;
      const before = server.ledger.slice(0, returns.since);
      const last = before.findLast(({ type, key }) => `${type}/${key}` === returns.name)?.record ?? {};
      const isThere = identifiersIn(last).some((identifier) => there.has(identifier));
      const [maker] = tokensIn(last)
        .flatMap((token) => tokens.get(token) ?? [])
        .sort((a, b) => a.nth - b.nth);
      if (!isThere && maker !== known && maker?.over) known.over ??= "its record is lost";
    }
  }

  /** What the server has now stands for what it had before; what it has lost must come back, if a tablet has it. */
  function forgetLost(devices: readonly SimulatedDevice[]): number {
    const records = takeStock();
    const there = new Set(records.flatMap(({ record }) => tokensIn(record)));
    const kept = new Map(devices.map((device) => [device.name, keptOn(device)]));
    let lost = 0;
    for (const [token, known] of tokens) {
      const line = known.line === null || there.has(token) ? undefined : server.ledger[known.line];
      if (!line) continue;
      Object.assign(known, { line: null, returns: { name: `${line.type}/${line.key}`, since: seenLines } });
      const isKept = !known.unkept && kept.get(known.device)?.includes(`"${token}"`) === true;
      if (!isKept) known.over ??= "not on the tablet any more";
      lost += Number(isKept);
    }
    return lost;
  }

  /** Notes that tokens are given up. @returns what was known of them before */
  function giveUp({ name }: SimulatedDevice, given: readonly string[], isUntried = false) {
    const before = new Map<Promised, Promised["over"]>();
    for (const token of given) {
      const known = tokens.get(token);
      if (known?.device !== name || known.line !== null) continue;
      before.set(known, known.over);
      known.over = "given up";
      known.isUntried = isUntried && !isCarried && known.returns === null;
    }
    return before;
  }

  return {
    violations,
    newToken: () => `t${++count}.`,
    renaming(device, renaming) {
      renamings.set(renaming.family, { ...renaming, device: device.name });
    },
    promised(device, token) {
      const rest = { nth: tokens.size, line: null, returns: null, unkept: false, over: null };
      tokens.set(token, { device: device.name, by: makerOf(device.medium, token), ...rest });
    },
    chosen(device, parked, choices = {}) {
      readLedger();
      for (const token of tokensIn(parked.ours)) decided.add(token);
      for (const { path, ours } of parked.conflicts) {
        if (choices[path] === "theirs" && isJsonObject(ours)) giveUp(device, tokensIn({ telecom: [ours] }));
      }
    },
    givenUp(device, parked, isUntried = false) {
      readLedger();
      const before = giveUp(device, tokensIn(parked.ours), isUntried);
      return () => {
        for (const [known, over] of before) known.over = over;
      };
    },
    lost(device) {
      readLedger();
      for (const known of tokens.values()) {
        if (known.device !== device.name) continue;
        if (known.line === null) known.over ??= "lost with the disk";
        else known.unkept = true;
      }
    },
    restored(devices) {
      readLedger();
      restores.push(server.ledger.length);
      return forgetLost(devices);
    },
    triedAgain(parked) {
      const before = tries.get(parked.reference) ?? 0;
      tries.set(parked.reference, before + 1);
      return before > 2;
    },
    check(devices) {
      readLedger();
      for (const device of devices) {
        checkKept(device);
        checkViews(device, { tokens, told, violations, isBound: consents.binds(device) });
        checkOwner(device, violations);
        consents.check(device);
      }
    },
    checkAtRest(devices) {
      readLedger();
      for (const device of devices) {
        checkKept(device);
        excuseArchived(device);
        excuseToldOf(device);
        checkSent(device, violations);
      }
      excuseOrphans();
      for (const raw of server.unknown) {
        if (server.medium.claims.has(raw)) violations.push(`I4: ${raw} was referred to before it was there`);
      }
      const ended = { tokens, isCarried, restores };
      checkOrder(server, ended, violations);
      for (const [key, tags] of server.effects) {
        // An answer about a record that consents hide tells no version; repeated when they show it, it does.
        const size = [...tags].filter((tag) => tag !== "").length;
        if (size > 1) violations.push(`I2: the request ${key} had ${size} effects`);
      }
      return checkOnce(server, ended, violations);
    },
  };
}

function identifiersIn({ identifier }: JsonObject): readonly string[] {
  const items = Array.isArray(identifier) ? (identifier as readonly JsonObject[]) : [];
  return items.map(({ system, value }) => `${String(system)}|${String(value)}`);
}
