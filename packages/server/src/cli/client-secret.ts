import { readFile } from "node:fs/promises";
import { text } from "node:stream/consumers";
import { newSecret } from "../node/new-secret.ts";
import { shortestSecret } from "./client-rules.ts";
import { unreadable } from "./file-faults.ts";
import { CommandRefusal } from "./refusal.ts";

/** The option by which an operator brings a secret. */
export const secretFileOption = [
  "--secret-file <file>",
  "take the secret from this file, or - for standard input; default: a new one",
] as const;

/**
 * The secret for a client, in the clear: that of `--secret-file`, or a new one.
 *
 * @param options.so what a file that can't be read keeps from being done
 */
export async function secretFor(
  secretFile: string | undefined,
  { so }: { readonly so: string },
): Promise<string> {
  const secret = secretFile === undefined ? newSecret() : await readSecret(secretFile, so);
  if (secret.length >= shortestSecret) return secret;
  throw new CommandRefusal(
    `The secret must be at least ${shortestSecret} characters long. Leave --secret-file out to get a good one.`,
  );
}

async function readSecret(path: string, so: string): Promise<string> {
  try {
    return (await (path === "-" ? text(process.stdin) : readFile(path, "utf8"))).trim();
  } catch (error) {
    throw unreadable(path, error, { option: "--secret-file", so });
  }
}
