import { type Commit, type CommitResult, StoreError } from "@fieldroll/core";
import type { Database } from "./client.ts";
import { type Names, type PreparedCommit, prepareCommit, runCommits } from "./commit.ts";
import { isLost } from "./refusal.ts";

/** Groups that are under way at the same time: one is made ready while the other is written. More of them would be smaller ones. */
const mostUnderWay = 2;

/** Documents that commits of one group write, and characters of their bodies; a single commit may write more. */
const mostDocuments = 200;
const mostCharacters = 1_000_000;

/** After so many milliseconds no other group waits for the end of one. */
const patience = 50;

/** A group waits for another process's locks for so many milliseconds, then each of its commits waits by itself. */
const lockPatience = 100;

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
 * commit costs the database is beginning and ending. Only such go together as clash in no name, so that each is checked and made as
 * if it were alone; what is refused is taken out and the others are made without it. When a group can't be written, or
 * waits for another process's locks, each is tried alone. Two commits of one process that clash are made one after the other
 * without meeting in the database.
 */
export class CommitQueue {
  readonly #database: Database;
  readonly #schema: string;
  #waiting: Waiting[] = [];
  readonly #underWay = new Set<Group>();
  #free = mostUnderWay;
  #isSoon = false;

  constructor(database: Database, schema: string) {
    this.#database = database;
    this.#schema = schema;
  }

  /** Takes a commit over by value. Throws what is wrong with it by itself. */
  add(commit: Commit): Promise<CommitResult> {
    const prepared = prepareCommit(commit);
    return this.#database.writing(
      () =>
        new Promise((resolve, reject) => {
          this.#waiting.push({ commit: prepared, resolve, reject });
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
      const group = this.#nextGroup();
      if (group.members.length === 0) return;
      void this.#sendInTurn(group);
    }
  }

  #nextGroup(): Group {
    const group = new Group();
    const left: Waiting[] = [];
    for (const one of this.#waiting) {
      const { names } = one.commit;
      const fits = [...this.#underWay, group].every((each) => each.isApartFrom(names));
      if (fits && group.hasRoomFor(one.commit)) group.add(one);
      else left.push(one);
    }
    this.#waiting = left;
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
    this.#underWay.add(group);
    const left = await settle(this.#database, this.#schema, group.members);
    this.#underWay.delete(group);
    const parts = left.map((members) => {
      const part = new Group();
      for (const one of members) part.add(one);
      return this.#send(part);
    });
    await Promise.all(parts);
  }
}

/** Makes commits in one step and tells their results. What it gives has to be made anew, each list in one step. */
async function settle(
  database: Database,
  schema: string,
  members: readonly Waiting[],
): Promise<readonly (readonly Waiting[])[]> {
  const isAlone = members.length === 1;
  try {
    const commits = members.map(({ commit }) => commit);
    const results = await runCommits(database, schema, commits, isAlone ? undefined : lockPatience);
    const left = members.filter((one, nth) => {
      const result = results[nth];
      if (result) one.resolve(result);
      return !result;
    });
    return left.length > 0 ? [left] : [];
  } catch (error) {
    if (!isAlone && !isUnknown(error)) return members.map((one) => [one]);
    for (const { reject } of members) reject(error);
    return [];
  }
}

/** Whether a group may have been written all the same, or no server is there to write any of it. */
function isUnknown(error: unknown): boolean {
  return isLost(error) || (error instanceof StoreError && error.code === "unavailable");
}
