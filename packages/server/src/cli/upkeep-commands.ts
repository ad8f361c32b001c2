import { type Finding, reindexRegistry, verifyRegistry } from "@fieldroll/core";
import type { Command } from "commander";
import { CommandRefusal } from "./refusal.ts";
import { databaseChoice, type Terminal, withStore } from "./terminal.ts";
import { upkeepOf, withProgress } from "./upkeep.ts";

interface RawUpkeep {
  readonly database: string;
  readonly json?: boolean;
  readonly restored?: boolean;
  readonly rebuild?: boolean;
}

/** Adds `fieldroll verify` and `fieldroll reindex`: docs/command-line.md. */
export function addUpkeepCommands(program: Command, terminal: Terminal): void {
  program
    .command("verify")
    .description("Check everything in the database, also while servers run on it; nothing in it is mended")
    .option(...databaseChoice)
    .option("--json", "print each fault as a JSON object")
    .action((raw: RawUpkeep) => verify(raw, terminal));
  program
    .command("reindex")
    .description("Have every document found as its content says, also while servers run")
    .option(...databaseChoice)
    .option("--json", "print what is left as JSON objects")
    .option("--restored", "the database was restored from a backup: devices read everything anew")
    .option("--rebuild", "build the store's own tables anew in any case: nothing erased stays in them")
    .action((raw: RawUpkeep) => reindex(raw, terminal));
}

const mendable = "fieldroll reindex mends those of claims, entries, feeds and the store's own tables";
const ofDamage = `${mendable}. The medium is damaged, too: where reindex refuses, or tells of it again, stop using the database and restore a backup, as docs/command-line.md says.`;
const ofOthers = `${mendable}; docs/command-line.md says what to do about the others.`;

function verify({ database, json = false }: RawUpkeep, terminal: Terminal): Promise<void> {
  return withStore({ database, damaged: true }, async ({ store, place }) => {
    const log = terminal.createLog();
    const lines = linesTo(terminal, json);
    const { documents, findings, ofMedium } = await withProgress(
      { log, message: "verifying" },
      (onProgress) => verifyRegistry(upkeepOf(store), { tell: lines.tell, onProgress }),
    );
    await lines.end();
    log.info({ documents, faults: findings }, `verified ${place}`);
    if (findings === 0) return;
    const them = findings === 1 ? "There is 1 fault" : `There are ${findings} faults`;
    throw new CommandRefusal(`${them} in ${place}, as told above. ${ofMedium > 0 ? ofDamage : ofOthers}`);
  });
}

function reindex(
  { database, json = false, restored = false, rebuild = false }: RawUpkeep,
  terminal: Terminal,
): Promise<void> {
  return withStore({ database, damaged: true }, async ({ store, place }) => {
    const log = terminal.createLog();
    const lines = linesTo(terminal, json);
    const done = await withProgress({ log, message: "reindexing" }, (onProgress) =>
      reindexRegistry(upkeepOf(store), { tell: lines.tell, onProgress, restored, rebuild }),
    );
    await lines.end();
    const { documents, mended, conflicts, left, rebuilt } = done;
    const startsOver = restored || rebuilt !== undefined;
    log.info({ documents, mended, rebuilt: rebuilt !== undefined, startsOver }, `reindexed ${place}`);
    if (conflicts > 0) {
      throw new CommandRefusal(
        `${conflicts === 1 ? "1 claim is" : `${conflicts} claims are`} given by two documents each, as told above. Decide which of the two is right, correct the other, and run this again.`,
      );
    }
    if (left === 0) return;
    const faults = left === 1 ? "1 fault of the store is" : `${left} faults of the store are`;
    throw new CommandRefusal(
      `${faults} left in ${place} for a person to look at, as told above; docs/command-line.md says what to do about them.`,
    );
  });
}

/** A finding a line, in the order in which they come. */
function linesTo({ out }: Terminal, json: boolean) {
  let written = Promise.resolve();
  return {
    tell: (finding: Finding) => {
      written = written.then(() => out(`${json ? JSON.stringify(finding) : sentenceOf(finding)}\n`));
    },
    end: () => written,
  };
}

function sentenceOf({ collection, key, kind, message }: Finding): string {
  return collection === "" ? `${kind}: ${message}` : `${collection} ${key}: ${kind}: ${message}`;
}
