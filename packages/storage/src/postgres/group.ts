import { type CommitResult, StoreError } from "@fieldroll/core";
import type { Database } from "./client.ts";
import { type Names, type PreparedCommit, runCommits } from "./commit.ts";
import { isHeldUp, isLost } from "./refusal.ts";

/**
 * Groups that are under way at the same time: one is made ready while the other is written, and two backends write. More of them would
 * be smaller ones.
 */
const mostUnderWay = 2;

/** Fewer commits than this stay in one group, though another could go beside it: a group costs as much as two or three commits. */
const leastShare = 4;

/** Documents that commits of one group write, and characters of their bodies; a single commit may write more. */
const mostDocuments = 200;
const mostCharacters = 1_000_000;

/** After so many milliseconds no other group waits for the end of one. */
const patience = 50;

/**
 * A group waits for another process's locks for so many milliseconds, and then each of its commits by itself for so many: those that are
 * held up are known by that, and wait for as long as a statement may take.
 */
const lockPatience = { group: 100, one: 20 };

// As it is when the program starts: a test that sets its own clock must not stop commits.
const { setImmediate: atEndOfTurn } = globalThis;

interface Waiting {
  readonly commit: PreparedCommit;
  resolve(result: CommitResult): void;
  reject(error: unknown): void;
}

/** Commits that are made in one statement, and all that they name. */
class Group {
  readonly members: Waiting[] = [];
  readonly #written = new Set<string>();
  readonly #expected = new Set<string>();
  #documents = 0;
  #characters = 0;

  /** Whether a commit names nothing that one of these changes, and changes nothing that one of these names. */
  isApartFrom({ written, expected }: Names): boolean {
    for (const name of written) if (this.#written.has(name) || this.#expected.has(name)) return false;
    for (const name of expected) if (this.#written.has(name)) return false;
    return true;
  }

  hasRoomFor({ puts, removes }: PreparedCommit): boolean {
    if (this.members.length === 0) return true;
    const documents = this.#documents + puts.length + removes.length;
    return documents <= mostDocuments && this.#characters + charactersOf(puts) <= mostCharacters;
  }

  add(one: Waiting): void {
    const { names, puts, removes } = one.commit;
    this.members.push(one);
    for (const name of names.written) this.#written.add(name);
    for (const name of names.expected) this.#expected.add(name);
    this.#documents += puts.length + removes.length;
    this.#characters += charactersOf(puts);
  }
}

function charactersOf(puts: PreparedCommit["puts"]): number {
  return puts.reduce((sum, { body }) => sum + body.length, 0);
}

/**
 * Commits that are asked for while others are under way share one statement, and so one transaction: most of what a small
 * commit costs the database is beginning and ending. Only such go together as clash in no name. Where one is refused, the others are made
 * without it, and it is tried alone: what another of the group would have changed, or kept, is no reason. When a group can't be written,
 * or waits for another process's locks, each is tried alone. Two commits of one process that clash are made one after the other, as
 * they were asked for, without meeting in the database.
 */
export class CommitQueue {
  readonly #database: Database;
  readonly #schema: string;
  #waiting: Waiting[] = [];
  /** Those of a group that fell apart, and those that are held up: they leave connections to everybody else. */
  readonly #tried: Limit;
  readonly #heldUp: Limit;
  readonly #underWay = new Set<Group>();
  #free = mostUnderWay;
  #isSoon = false;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
    this.#tried = new Limit(Math.ceil(database.connections / 4));
    this.#heldUp = new Limit(Math.ceil(database.connections / 2));
  }

  add(commit: PreparedCommit): Promise<CommitResult> {
    return this.#database.writing(
      () =>
        new Promise((resolve, reject) => {
          this.#waiting.push({ commit, resolve, reject });
          this.#sendSoon();
        }),
    );
  }

  /** At the end of the turn: everything else that is ready may have commits of its own. */
  #sendSoon(): void {
    if (this.#isSoon) return;
    this.#isSoon = true;
    atEndOfTurn(() => {
      this.#isSoon = false;
      this.#sendAll();
    });
  }

  #sendAll(): void {
    while (this.#free > 0) {
      const group = this.#nextGroup(Math.max(leastShare, Math.ceil(this.#waiting.length / this.#free)));
      if (group.members.length === 0) return;
      void this.#sendInTurn(group);
    }
  }

  #nextGroup(most: number): Group {
    const [group, left] = [new Group(), new Group()];
    for (const one of this.#waiting) {
      const { names } = one.commit;
      // Nor does one overtake another that it clashes with.
      const fits = [...this.#underWay, group, left].every((each) => each.isApartFrom(names));
      const hasRoom = group.members.length < most && group.hasRoomFor(one.commit);
      (fits && hasRoom ? group : left).add(one);
    }
    this.#waiting = left.members;
    return group;
  }

  async #sendInTurn(group: Group): Promise<void> {
    this.#free -= 1;
    let isCounted = true;
    const letGo = () => {
      if (isCounted) this.#free += 1;
      isCounted = false;
      this.#sendSoon();
    };
    const timer = setTimeout(letGo, patience);
    await this.#send(group);
    clearTimeout(timer);
    letGo();
  }

  /** Until all are told. What a group named is free as soon as it has fallen apart. */
  async #send(group: Group): Promise<void> {
    const left = await this.#settle(group, lockPatience.group);
    const parts = left.map((members) => {
      const part = groupOf(members);
      // Nothing that is asked for meanwhile may overtake it.
      this.#underWay.add(part);
      return members.length > 1 ? this.#send(part) : this.#sendAlone(part);
    });
    await Promise.all(parts);
  }

  async #sendAlone(one: Group): Promise<void> {
    let isHeldUp = false;
    await this.#tried.run(async () => {
      isHeldUp = (await this.#settle(one, lockPatience.one)).length > 0;
    });
    if (!isHeldUp) return;
    this.#underWay.add(one);
    const begin = performance.now();
    const { statementTimeout } = this.#database;
    await this.#heldUp.run(async () => {
      const waited = Math.ceil(performance.now() - begin);
      await this.#settle(one, Math.max(lockPatience.one, statementTimeout - waited), true);
    });
  }

  /** Makes commits in one step and tells their results. What it gives has to be made anew, each list in one step. */
  async #settle(group: Group, patience: number, isLast = false): Promise<readonly (readonly Waiting[])[]> {
    const { members } = group;
    const commits = members.map(({ commit }) => commit);
    this.#underWay.add(group);
    try {
      return tell(members, await runCommits(this.#database, this.#schema, commits, patience));
    } catch (error) {
      const mayBeTried = members.length === 1 ? !isLast && isHeldUp(error) : !isUnknown(error);
      if (mayBeTried) return members.map((one) => [one]);
      for (const { reject } of members) reject(error);
      return [];
    } finally {
      this.#underWay.delete(group);
    }
  }
}

function groupOf(members: readonly Waiting[]): Group {
  const group = new Group();
  for (const one of members) group.add(one);
  return group;
}

/** Tells what is final; gives what has to be made anew. What is refused beside others may not be so alone. */
function tell(
  members: readonly Waiting[],
  results: readonly (CommitResult | undefined)[],
): readonly (readonly Waiting[])[] {
  const [refused, others]: [Waiting[], Waiting[]] = [[], []];
  for (const [nth, one] of members.entries()) {
    const result = results[nth];
    if (!result) others.push(one);
    else if (result.ok || members.length === 1) one.resolve(result);
    else refused.push(one);
  }
  return [...refused.map((one) => [one]), ...(others.length > 0 ? [others] : [])];
}

/** Runs so many pieces of work at a time, in turn. */
class Limit {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(most: number) {
    this.#free = most;
  }

  async run(work: () => Promise<void>): Promise<void> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free += 1;
    }
  }
}

/** Whether a group may have been written all the same, or no server is there to write any of it. */
function isUnknown(error: unknown): boolean {
  return isLost(error) || (error instanceof StoreError && error.code === "unavailable");
}
