import type { ArrivingRequest } from "./arriving-request.ts";

/** What a chunk costs in memory beside its bytes, so that many small ones are not for nothing. */
const chunkCost = 400;
/** Slowest sender that is waited for, in bytes a second. */
const slowest = 500;

export interface BodyLimits {
  /** Memory for bodies that are not all there, in bytes. */
  readonly bytes: number;
  /** How often each is looked at whether it comes on, in milliseconds. */
  readonly milliseconds: number;
}

/** Why a body is not waited for any longer. */
export type GivenUp = "stalled" | "crowded";

interface Body {
  readonly since: number;
  /** Memory that it takes. */
  held: number;
  received: number;
  /** What had been received when it was last looked at; `undefined` before. */
  seen: number | undefined;
}

/** Bodies that are not all there, and how much memory they take together. */
export interface UnfinishedBodies {
  add(request: ArrivingRequest): void;
  /** Ends the looking at them. */
  stop(): void;
}

/**
 * Bounds the memory of bodies that are not all there. Where it is used up, the body that has held most for longest is given up, so that
 * the newest gets in and those that stand still make room. A body that comes at less than 500 bytes a second is given up as well.
 */
export function watchBodies(
  { bytes, milliseconds }: BodyLimits,
  giveUp: (request: ArrivingRequest, why: GivenUp) => void,
): UnfinishedBodies {
  const bodies = new Map<ArrivingRequest, Body>();
  let total = 0;
  const forget = (request: ArrivingRequest) => {
    total -= bodies.get(request)?.held ?? 0;
    bodies.delete(request);
  };
  const drop = (request: ArrivingRequest, why: GivenUp) => {
    forget(request);
    giveUp(request, why);
  };
  const take = (request: ArrivingRequest, length: number) => {
    const body = bodies.get(request);
    if (!body) return;
    body.received += length;
    body.held += length + chunkCost;
    total += length + chunkCost;
    while (total > bytes) drop(costliest(bodies), "crowded");
  };
  const timer = setInterval(() => {
    for (const [request, body] of bodies) {
      if (isStalled(request, body, (slowest * milliseconds) / 1000)) drop(request, "stalled");
      body.seen = body.received;
    }
  }, milliseconds);
  timer.unref();
  return {
    add(request) {
      bodies.set(request, { since: performance.now(), held: 0, received: 0, seen: undefined });
      request.onChunk = (length) => take(request, length);
      request.onSettled = () => forget(request);
    },
    stop: () => clearInterval(timer),
  };
}

/** A body that nobody reads is not its sender's fault. */
function isStalled(request: ArrivingRequest, { received, seen }: Body, least: number): boolean {
  const isRead = request.readableFlowing === true && request.readableLength === 0;
  return isRead && seen !== undefined && received - seen < least;
}

function costliest(bodies: ReadonlyMap<ArrivingRequest, Body>): ArrivingRequest {
  const now = performance.now();
  const cost = ({ held, since }: Body) => held * (now - since);
  const [first, ...rest] = [...bodies];
  if (!first) throw new Error("memory is taken by no body");
  return rest.reduce((most, one) => (cost(one[1]) > cost(most[1]) ? one : most), first)[0];
}
