#!/usr/bin/env node
import { createLog } from "./log.ts";
import { createProgram } from "./program.ts";
import { CommandRefusal } from "./refusal.ts";
import { packageVersion } from "./version.ts";

function onStop(stop: () => Promise<void>): void {
  const end = () => {
    process.off("SIGTERM", end);
    process.off("SIGINT", end);
    stop().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
}

function fail(error: unknown): void {
  const text =
    error instanceof CommandRefusal ? error.message : error instanceof Error ? error.stack : String(error);
  process.stderr.write(`fieldroll: ${text}\n`, () => process.exit(1));
}

const program = createProgram({
  out: (text) => process.stdout.write(text),
  err: (text) => process.stderr.write(text),
  version: packageVersion(),
  createLog,
  onStop,
});

await program.parseAsync().catch(fail);
