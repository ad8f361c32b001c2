import type { Store, UpkeepConfig } from "@fieldroll/core";
import type { Logger } from "pino";
import { signingKeyKind } from "../oauth/signing-keys.ts";
import { storedClientKind } from "../oauth/stored-clients.ts";
import { integerIdKind } from "../v1/integer-ids.ts";
import { logProgress } from "./progress.ts";
import { registryConfig } from "./registry.ts";

/** The registry of a command, and what a server keeps beside it, to look after. */
export function upkeepOf(store: Store): UpkeepConfig {
  return { ...registryConfig(store), furtherKinds: [storedClientKind, signingKeyKind, integerIdKind] };
}

/** After so many milliseconds without a line somebody would think that nothing goes on. */
const silence = 5000;

/**
 * Tells now and then how many documents are done, and goes on telling that there is more to do after the last: a store that looks
 * at its own tables says nothing meanwhile.
 */
export async function withProgress<T>(
  {
    log,
    message,
    every = silence,
  }: { readonly log: Logger; readonly message: string; readonly every?: number },
  work: (onProgress: (done: number) => void) => Promise<T>,
): Promise<T> {
  const tell = logProgress(log, { message, step: 20_000 });
  let [documents, before] = [0, -1];
  const timer = setInterval(() => {
    log.info({ done: documents }, documents === before ? `still ${message}` : message);
    before = documents;
  }, every);
  try {
    return await work((done) => {
      documents = done;
      tell(done);
    });
  } finally {
    clearInterval(timer);
  }
}
