/** Runs the simulations that it is asked for, one after the other, and answers with what each came to. */
import { parentPort } from "node:worker_threads";
import type { SimulationOptions } from "../../test/simulation/options.ts";
import { simulate } from "../../test/simulation/simulate.ts";

// A step of the outbox that is against its rules is a broken promise, not an edit to be parked.
process.env.NODE_ENV = "test";

parentPort?.on("message", async ({ trace, ...options }: SimulationOptions & { readonly trace: boolean }) => {
  const tell = (line: string) => (trace || line.includes(" @@ ")) && process.stdout.write(`${line}\n`);
  parentPort?.postMessage(await simulate({ ...options, ...((trace || options.watch) && { tell }) }));
});
