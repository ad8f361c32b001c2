import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { ArrivingRequest, ArrivingServer } from "./arriving-request.ts";
import type { Linger } from "./linger.ts";

/** The requests that a server's connections are busy with. */
export interface Arrivals {
  /** The request of which the body is not all there; `undefined` where there is none. */
  on(socket: Socket): ArrivingRequest | undefined;
}

/**
 * Lets answers reach their callers that come before the end of the request's body, as refusals do: the rest is thrown away. A
 * connection goes on after a rest that was small; else it is closed gently. A caller that asks before it sends (`Expect:
 * 100-continue`) sends nothing of a body that nobody reads.
 */
export function answerEarly(server: ArrivingServer, linger: Linger): Arrivals {
  const latest = new WeakMap<Socket, ArrivingRequest>();
  const arriving = (socket: Socket) => {
    const request = latest.get(socket);
    return request?.complete === false ? request : undefined;
  };
  server.on("connection", (socket) => {
    const destroySoon = socket.destroySoon.bind(socket);
    // Node calls it after the last answer of a connection, whether or not there are bytes to read.
    socket.destroySoon = () => (arriving(socket) ? linger.close(socket) : destroySoon());
  });
  const watch = (incoming: ArrivingRequest, outgoing: ServerResponse) => {
    const { wire: socket } = incoming;
    latest.set(socket, incoming);
    outgoing.once("finish", () => {
      incoming.isAnswered = true;
      if (incoming.complete || socket.destroyed) return;
      incoming.destroy();
      incoming.onSettled = linger.await(socket);
    });
  };
  server.on("request", watch);
  server.on("checkExpectation", watch);
  server.on("checkContinue", (incoming: ArrivingRequest, outgoing: ServerResponse) => {
    incoming.onAsked = () => {
      if (!outgoing.headersSent) outgoing.writeContinue();
    };
    server.emit("request", incoming, outgoing);
  });
  return { on: arriving };
}
