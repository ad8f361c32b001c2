import { subscriberOf } from "../http/network-address.ts";
import { createExpiring } from "./expiring.ts";
import { createFailedAttempts, type FailedAttempts } from "./failed-attempts.ts";

/** A secret that is not looked at now. */
export interface HeldBack {
  readonly ok: false;
  /** Whole seconds. */
  readonly retryAfter: number;
  /** Failures allowed in a minute, where there were as many; without it, too many secrets are being hashed. */
  readonly limit?: number;
}

/** A client id at a network address, and what is known of its attempts. */
export interface SignInPlace {
  /** Why no secret of this client is looked at here now. */
  heldBack(): HeldBack | undefined;
  /** Whether the client signed in here lately, so that it goes before others. */
  isFamiliar(): boolean;
  /**
   * Counts a secret that failed here within the window as failed again: `"wrong"`, or held back. `undefined` for any other.
   *
   * @param print of client, secret and address
   */
  failedAgain(print: string): "wrong" | HeldBack | undefined;
  /** Begins an attempt. The function given back ends it; `undefined` tells nothing of the secret. */
  begin(print: string): (isRight: boolean | undefined) => void;
}

const mostFailures = 5;
/** More than a training room of people mistypes in a minute, and too few to keep the hashing busy. */
const mostFailuresOfAddress = 20;
const windowSeconds = 60;
/** Over a weekend, for those who sign in at work. */
const familiarMilliseconds = 7 * 24 * 60 * 60_000;
/** Two hashes at once can't fail for as many keys within the window, so that nobody drives out another's failures. */
const capacity = 10_000;
/** No client has a longer id. */
const longestId = 255;

/**
 * Makes the limits of contract section 7: five different wrong secrets of a client at an address, twenty failures of an address
 * for clients that did not sign in there lately, five failures of the same secret. Failures at other addresses count nowhere.
 */
export function createSignInLimits(clock: () => Date) {
  const limit = { clock, windowSeconds, capacity };
  const ofPair = createFailedAttempts({ ...limit, most: mostFailures });
  const ofSecret = createFailedAttempts({ ...limit, most: mostFailures });
  const ofAddress = createFailedAttempts({ ...limit, most: mostFailuresOfAddress });
  const familiar = createExpiring<true>({ clock, capacity });
  return {
    placeOf(clientId: string, peer: string | undefined): SignInPlace {
      const address = peer === undefined ? undefined : subscriberOf(peer);
      const pair = `${clientId.slice(0, longestId + 1)}\n${address ?? ""}`;
      const isFamiliar = () => familiar.find(pair) === true;
      return {
        isFamiliar,
        heldBack: () =>
          heldBack(ofPair, pair) ??
          (address === undefined || isFamiliar() ? undefined : heldBack(ofAddress, address)),
        failedAgain(print) {
          if (!ofSecret.hasFailed(print)) return undefined;
          const held = heldBack(ofSecret, print);
          if (held) return held;
          ofSecret.begin(print)(true);
          return "wrong";
        },
        begin(print) {
          const ends = [
            ofPair.begin(pair),
            ofSecret.begin(print),
            ...(address === undefined ? [] : [ofAddress.begin(address)]),
          ];
          return (isRight) => {
            for (const end of ends) end(isRight === false);
            if (isRight) familiar.keep(pair, true, clock().getTime() + familiarMilliseconds);
          };
        },
      };
    },
  };
}

function heldBack(attempts: FailedAttempts, key: string): HeldBack | undefined {
  const retryAfter = attempts.secondsToWait(key);
  return retryAfter === 0 ? undefined : { ok: false, retryAfter, limit: attempts.most };
}
