import { type Logger, pino } from "pino";
import pretty from "pino-pretty";

/** Logs to standard error: a JSON object a line, or lines for people on a terminal. */
export function createLog(): Logger {
  const timestamp = pino.stdTimeFunctions.isoTime;
  const options = { base: null, timestamp };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }));
  return pino(options, pretty({ destination: 2, sync: true, colorize: true, translateTime: "SYS:HH:MM:ss" }));
}
