import type { Socket } from "node:net";

/** Most bytes of a refused body that are read and thrown away. */
const mostBytes = 16 * 1024 * 1024;
/** How often a connection is looked at, in milliseconds. */
const interval = 100;
/** What a caller has to read the end of its answer, where it still sends after all the time it had. */
const lastMilliseconds = 1000;

/**
 * Ends connections on which bytes are still coming. One that is closed over unread bytes is reset, and a reset takes the answer from
 * the caller that has not read it yet (RFC 9112 section 9.6).
 */
export interface Linger {
  /** Waits for the rest of a request's body; where it takes too long or is too large, ends the connection. Returns how to stop waiting. */
  await(socket: Socket): () => void;
  /** Sends the last bytes and the end of the answers (FIN), reads on for a while, and then destroys the connection. */
  close(socket: Socket, last?: string): void;
  /** Whether the connection was closed so: nothing more is answered on it. */
  isClosed(socket: Socket): boolean;
}

/** @param milliseconds how long bytes are thrown away that follow a refusal */
export function createLinger(milliseconds: number): Linger {
  const closed = new WeakSet<Socket>();
  const end = (socket: Socket, patience: number, last?: string) => {
    if (closed.has(socket)) return;
    closed.add(socket);
    if (last === undefined) socket.end();
    else socket.end(last);
    readOn(socket, patience, () => socket.destroy());
  };
  return {
    await: (socket) =>
      readOn(socket, milliseconds, () => end(socket, Math.min(milliseconds, lastMilliseconds))),
    close: (socket, last) => end(socket, milliseconds, last),
    isClosed: (socket) => closed.has(socket),
  };
}

function readOn(socket: Socket, milliseconds: number, tooMuch: () => void): () => void {
  const until = performance.now() + milliseconds;
  const bytes = socket.bytesRead + mostBytes;
  const timer = setInterval(
    () => {
      if (performance.now() < until && socket.bytesRead <= bytes) return;
      stop();
      tooMuch();
    },
    Math.min(interval, milliseconds),
  );
  const stop = () => {
    clearInterval(timer);
    socket.off("close", stop);
  };
  socket.once("close", stop);
  return stop;
}
