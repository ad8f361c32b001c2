import { IncomingMessage, type Server } from "node:http";
import type { Socket } from "node:net";

/** A server whose requests are of this kind. */
export type ArrivingServer = Server<typeof ArrivingRequest>;

/**
 * A request whose body can be given up without ending its connection. Node would destroy the connection; the answer, which may
 * come before the end of the body, would be lost with it. What still comes is thrown away.
 */
export class ArrivingRequest extends IncomingMessage {
  /** The connection it comes by. `socket` is not kept: Node takes it from a request whose stream is cancelled. */
  readonly wire: Socket;
  /** Called when the body is read for the first time. */
  onAsked: (() => void) | undefined;
  /** Called with the size of each chunk in bytes, until the end or until the body is given up. */
  onChunk: ((bytes: number) => void) | undefined;
  /** Called when nothing more is to be kept of the body, because it is all there or is given up. */
  onSettled: (() => void) | undefined;
  /** Whether the answer to it was sent. */
  isAnswered = false;
  #isGivenUp = false;

  constructor(socket: Socket) {
    super(socket);
    this.wire = socket;
  }

  override _read(size: number): void {
    const asked = this.onAsked;
    this.onAsked = undefined;
    asked?.();
    super._read(size);
  }

  override push(chunk: Uint8Array | null, encoding?: BufferEncoding): boolean {
    if (chunk === null) this.onSettled?.();
    else if (!this.#isGivenUp) this.onChunk?.(chunk.length);
    return chunk !== null && this.#isGivenUp ? true : super.push(chunk, encoding);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.onSettled?.();
    if (this.wire.destroyed) {
      super._destroy(error, callback);
      return;
    }
    this.#isGivenUp = true;
    this.wire.resume();
    // As Node's own: without a listener the error would end the process.
    callback(this.listenerCount("error") > 0 ? error : null);
  }
}
