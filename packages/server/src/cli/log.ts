import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

/** Logs to standard error: a JSON object a line, or lines for people on a terminal. */
export function createLog(): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { base: null, timestamp };
  if (!process.stderr.isTTY) return pino(options, gathered());
  return pino(options, pretty({ destination: 2, sync: true, colorize: true, translateTime: "SYS:HH:MM:ss" }));
}

/** Lines are written some at a time: each by itself would cost as much as much of what it tells of. None waits for long. */
function gathered() {
  const destination = pino.destination({ dest: 2, sync: true, minLength: 8192, periodicFlush: 100 });
  process.on("exit", () => destination.flushSync());
  return destination;
}
