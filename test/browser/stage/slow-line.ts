import { once } from "node:events";
import { connect, createServer, type Socket } from "node:net";

/** How bad a network is. */
export interface Quality {
  /** In each direction, over all connections. */
  readonly bitsPerSecond: number;
  /** Of a round trip, in milliseconds. */
  readonly latency: number;
  /** Milliseconds between two ends of every connection; none where it is left out. */
  readonly cutEvery?: number;
  /** Bytes to the device between two ends of every connection, for a test on a machine of any speed; none where it is left out. */
  readonly cutAfter?: number;
}

/** A slow network before a server on this machine. */
export interface SlowLine {
  readonly port: number;
  /** Bytes to the device so far. */
  down(): number;
  /** Requests of the device so far. */
  asked(): number;
  /** When the device first connected, by `performance.now()`; `NaN` before. */
  firstAt(): number;
  close(): Promise<void>;
}

/** Bytes that travel together: small enough for connections to share the line. */
const piece = 512;

/** Opens a line that is as slow as it is told: pieces of all connections take turns, and each arrives half a round trip later. */
export async function openSlowLine(target: number, quality: Quality): Promise<SlowLine> {
  const sockets = new Set<Socket>();
  const half = quality.latency / 2;
  let down = 0;
  let asked = 0;
  let first = Number.NaN;
  const toServer: Direction = {
    turn: turns(quality.bitsPerSecond),
    met(part) {
      if (isRequest(part)) asked++;
    },
  };
  const toDevice: Direction = {
    turn: turns(quality.bitsPerSecond),
    met(part) {
      const { cutAfter = Number.POSITIVE_INFINITY } = quality;
      const isCut = Math.floor(down / cutAfter) < Math.floor((down + part.length) / cutAfter);
      down += part.length;
      if (isCut) endAll();
    },
  };
  const carry = async (from: Socket, to: Socket, { turn, met }: Direction) => {
    for await (const chunk of from as AsyncIterable<Buffer>) {
      for (let at = 0; at < chunk.length; at += piece) {
        const part = chunk.subarray(at, at + piece);
        await turn(part.length);
        met(part);
        setTimeout(() => to.writable && to.write(part), half);
      }
    }
    setTimeout(() => to.end(), half);
  };
  const line = createServer({ pauseOnConnect: true }, (device) => {
    if (Number.isNaN(first)) first = performance.now();
    const far = connect(target, "127.0.0.1");
    for (const socket of [device, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        (socket === device ? far : device).destroy();
      });
    }
    const end = () => device.destroy();
    // A connection costs a round trip before its first byte.
    setTimeout(() => {
      device.resume();
      carry(device, far, toServer).catch(end);
      carry(far, device, toDevice).catch(end);
    }, quality.latency);
  });
  line.listen(0, "127.0.0.1");
  await once(line, "listening");
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const cutting = quality.cutEvery === undefined ? undefined : setInterval(endAll, quality.cutEvery);
  const address = line.address();
  return {
    port: typeof address === "object" && address ? address.port : 0,
    down: () => down,
    asked: () => asked,
    firstAt: () => first,
    close: () => {
      clearInterval(cutting);
      endAll();
      return new Promise((resolve) => line.close(() => resolve()));
    },
  };
}

/** One direction of the line. */
interface Direction {
  /** Waits until so many bytes have gone. */
  readonly turn: (bytes: number) => Promise<void>;
  /** Called for each piece. */
  readonly met: (part: Buffer) => void;
}

function isRequest(part: Buffer): boolean {
  return /^(GET|HEAD|POST|PUT|PATCH) \//.test(part.toString("latin1", 0, 8));
}

/** One direction of the line: bytes go one piece after the other, whichever connection they are of. */
function turns(bitsPerSecond: number): (bytes: number) => Promise<void> {
  let free = 0;
  return async (bytes) => {
    const now = performance.now();
    free = Math.max(free, now) + (bytes * 8_000) / bitsPerSecond;
    await new Promise((resolve) => setTimeout(resolve, free - now));
  };
}
