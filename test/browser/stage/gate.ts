import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from "node:http";

/**
 * What stands before a server.
 *
 * @param stops whether it deals with a request itself; any other gets through
 */
export async function openGate(
  port: number,
  stops: (asked: IncomingMessage, answer: ServerResponse) => boolean,
): Promise<Server> {
  const gate = createServer((asked, answer) => {
    if (stops(asked, answer)) return;
    const { url = "/", method = "GET", headers } = asked;
    const far = request({ host: "127.0.0.1", port, path: url, method, headers }, (told) => {
      answer.writeHead(told.statusCode ?? 502, told.headers);
      told.pipe(answer);
    });
    far.on("error", () => answer.destroy());
    asked.pipe(far);
  });
  await new Promise<void>((resolve) => gate.listen(0, "127.0.0.1", resolve));
  return gate;
}
