import { connect, createServer, type Socket } from "node:net";

/** The network between one device and the server: it can be cut, and what runs over it is counted. */
export interface Line {
  readonly port: number;
  /** Ends every connection and takes no other until it is mended. */
  cut(): void;
  mend(): void;
  /** Leads to another server from now on. */
  leadTo(port: number): void;
  /** Bytes sent by the device and to the device. */
  bytes(): { up: number; down: number };
  close(): Promise<void>;
}

/** Opens a line to a server on this machine. Each device has its own, so that one can be offline and another not. */
export async function openLine(server: number): Promise<Line> {
  const sockets = new Set<Socket>();
  const bytes = { up: 0, down: 0 };
  let target = server;
  let isCut = false;
  const line = createServer((device) => {
    if (isCut) {
      device.destroy();
      return;
    }
    const far = connect(target, "127.0.0.1");
    for (const socket of [device, far]) {
      sockets.add(socket);
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        sockets.delete(socket);
        (socket === device ? far : device).destroy();
      });
    }
    device.on("data", (chunk) => {
      bytes.up += chunk.length;
    });
    far.on("data", (chunk) => {
      bytes.down += chunk.length;
    });
    device.pipe(far);
    far.pipe(device);
  });
  await new Promise<void>((resolve) => line.listen(0, "127.0.0.1", resolve));
  const address = line.address();
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: typeof address === "object" && address ? address.port : 0,
    cut() {
      isCut = true;
      endAll();
    },
    mend() {
      isCut = false;
    },
    leadTo(port) {
      target = port;
      endAll();
    },
    bytes: () => ({ ...bytes }),
    close: () => {
      endAll();
      return new Promise((resolve) => line.close(() => resolve()));
    },
  };
}
