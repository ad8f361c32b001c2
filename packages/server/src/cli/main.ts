#!/usr/bin/env node
import { once } from "node:events";
import { writeSync } from "node:fs";
import { codeOf } from "../http/describe-failure.ts";
import { CommandRefusal } from "./refusal.ts";

type Stop = () => Promise<void>;

/** Ends the server at the first SIGTERM or SIGINT, at whatever moment it comes; `begun` says what there is to finish. */
function endOnSignal(): { begun(stop: Stop): void } {
  let stop: Stop = async () => {};
  const end = () => {
    process.off("SIGTERM", end);
    process.off("SIGINT", end);
    stop().then(() => process.exit(0), fail);
  };
  process.on("SIGTERM", end);
  process.on("SIGINT", end);
  return {
    begun(given) {
      stop = given;
    },
  };
}

/** As a program ends by SIGPIPE, of which Node makes an error: who reads what it writes wants no more, as in `export | head`. */
const endedByReader = 128 + 13;

function fail(error: unknown): void {
  if (error instanceof Error && "code" in error && error.code === "EPIPE") process.exit(endedByReader);
  const text =
    error instanceof CommandRefusal ? error.message : error instanceof Error ? error.stack : String(error);
  // After what the log still holds, so that what is to be done stands last.
  process.once("exit", () => writeSync(process.stderr.fd, `fieldroll: ${text}\n`));
  process.exit(1);
}

// Also of a write that nobody waits for.
process.stdout.on("error", (error) => {
  const code = codeOf(error);
  const says = `Standard output can't be written (${code}), so what came out of it is not whole. Make room, and run the command again.`;
  fail(code === undefined || code === "EPIPE" ? error : new CommandRefusal(says));
});

// Other commands end by the signal itself, so that whoever waits for them knows that they did not finish.
const ending = process.argv[2] === "serve" ? endOnSignal() : undefined;

async function main(): Promise<void> {
  // Loaded once signals are heard, for it takes a while.
  const [{ createLog }, { createProgram }, { softwareVersion }] = await Promise.all([
    import("./log.ts"),
    import("./program.ts"),
    import("../http/software-version.ts"),
  ]);
  const program = createProgram({
    out: async (text) => {
      if (!process.stdout.write(text)) await once(process.stdout, "drain");
    },
    err: (text) => process.stderr.write(text),
    version: softwareVersion,
    createLog,
    onStop: (stop) => ending?.begun(stop),
  });
  await program.parseAsync();
}

await main().catch(fail);
