import { RegistryError } from "@fieldroll/core";
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from "jose";

/** How long fetched keys are used: a key that its issuer withdraws is believed no longer. */
const freshMilliseconds = 10 * 60_000;
/** Keys are not fetched again sooner than this, whatever key ids tokens name. */
const pauseMilliseconds = 30_000;
/** Nor, after a failure, sooner than this. */
const failurePauseMilliseconds = 5_000;

/**
 * Looks keys up in a set that is fetched when it is needed: at the first use, when it is ten minutes old, and for an unknown key
 * id. One fetch at a time; none within half a minute after one that succeeded, and within five seconds after one that failed.
 *
 * @param options.load fetches the set; rejects when it can't be had
 * @returns a function that rejects with a RegistryError of kind `unavailable` while there is no set
 */
export function createRemoteKeys(options: {
  readonly load: () => Promise<unknown>;
  readonly clock: () => Date;
}): JWTVerifyGetKey {
  const { load, clock } = options;
  let held: { readonly keys: JWTVerifyGetKey; readonly at: number } | undefined;
  let pause = { from: 0, milliseconds: 0 };
  let loading: Promise<void> | undefined;
  const isWithin = (from: number, milliseconds: number) => {
    const age = clock().getTime() - from;
    return age >= 0 && age < milliseconds;
  };
  const reload = async (): Promise<void> => {
    let milliseconds = failurePauseMilliseconds;
    try {
      held = { keys: createLocalJWKSet((await load()) as JSONWebKeySet), at: clock().getTime() };
      milliseconds = pauseMilliseconds;
    } catch {
      // No answer, or a document that is no key set: `present` tells it.
    }
    pause = { from: clock().getTime(), milliseconds };
    loading = undefined;
  };
  const refresh = async (): Promise<void> => {
    if (!loading && isWithin(pause.from, pause.milliseconds)) return;
    loading ??= reload();
    await loading;
  };
  const find: JWTVerifyGetKey = async (header, token) => {
    if (!held || !isWithin(held.at, freshMilliseconds)) throw unavailable();
    try {
      return await held.keys(header, token);
    } catch (error) {
      // Another error is a key that can't be read.
      throw saysTheKeyIsNotThere(error) ? error : unavailable();
    }
  };
  return async (header, token) => {
    if (!held || !isWithin(held.at, freshMilliseconds)) await refresh();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      await refresh();
      return find(header, token);
    }
  };
}

function saysTheKeyIsNotThere(error: unknown): boolean {
  return error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys;
}

function unavailable(): RegistryError {
  const detail = "The keys of the access token's issuer can't be fetched just now. Try again in a moment.";
  return new RegistryError({ kind: "unavailable", detail });
}
