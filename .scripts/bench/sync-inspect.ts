import type { CDPSession, Page } from "playwright-core";

/** The debugger of a page's worker. */
export interface WorkerInspector {
  /** Sends a command of the DevTools protocol. */
  send<T>(method: string, parameters?: object): Promise<T>;
}

/** Attaches to the first worker that a page starts from now on. */
export async function inspectWorker(page: Page): Promise<() => Promise<WorkerInspector>> {
  const session = await page.context().newCDPSession(page);
  const attached = new Promise<string>((resolve) => {
    session.on("Target.attachedToTarget", ({ sessionId, targetInfo }) => {
      if (targetInfo.type === "worker") resolve(sessionId);
    });
  });
  await session.send("Target.setAutoAttach", {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    flatten: false,
  });
  return async () => inspectorOf(session, await attached);
}

function inspectorOf(session: CDPSession, sessionId: string): WorkerInspector {
  const waiting = new Map<number, (message: { result?: unknown; error?: { message: string } }) => void>();
  let last = 0;
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const answer = JSON.parse(message);
    waiting.get(answer.id)?.(answer);
    waiting.delete(answer.id);
  });
  return {
    async send<T>(method: string, parameters: object = {}) {
      const id = ++last;
      const answered = new Promise<{ result?: unknown; error?: { message: string } }>((resolve) =>
        waiting.set(id, resolve),
      );
      const message = JSON.stringify({ id, method, params: parameters });
      await session.send("Target.sendMessageToTarget", { sessionId, message });
      const { result, error } = await answered;
      if (error) throw new Error(`${method}: ${error.message}`);
      return result as T;
    },
  };
}
