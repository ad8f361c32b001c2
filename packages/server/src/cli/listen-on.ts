import { codeOf } from "../http/describe-failure.ts";
import type { Handler } from "../http/handler.ts";
import { type Listening, listen } from "../node/listen.ts";
import { CommandRefusal, messageOf } from "./refusal.ts";
import type { ServeOptions } from "./serve-options.ts";

/** Listens for the command line: where that is refused, it says by which options it would not be. */
export async function listenOn(
  handler: Handler,
  { port, host }: Pick<ServeOptions, "port" | "host">,
): Promise<Listening> {
  try {
    return await listen({ handler, port, host });
  } catch (error) {
    const code = codeOf(error);
    if (code === undefined) throw error;
    const next = `Choose another with --port, such as ${port < 65535 ? port + 1 : 8080}, or --port 0 for any free one (npm start takes it as PORT=…).`;
    if (code === "EADDRINUSE") throw new CommandRefusal(`Port ${port} of ${host} is taken. ${next}`);
    if (code === "EACCES")
      throw new CommandRefusal(`Port ${port} of ${host} may not be used by this user. ${next}`);
    throw new CommandRefusal(messageOf(error));
  }
}
