/** A page over the engine's worker, as the field app has it. */
import type { Individual } from "@fieldroll/core";
import type { FieldClient, Held } from "@fieldroll/sync";
import { connectFieldWorker } from "@fieldroll/sync/page";
import { client as credentials } from "./client.ts";
import { type EngineMeasures, genderSystem, offer, type Ran, searchedName } from "./sync-task.ts";

/** What the browser says of the network. While it says that there is none, the engine runs only when it is asked to. */
let online = true;
Object.defineProperty(navigator, "onLine", { get: () => online });

function tellNetwork(now: boolean): void {
  online = now;
  window.dispatchEvent(new Event(now ? "online" : "offline"));
}

function connect(name: string): FieldClient {
  const worker = new Worker(`/engine-worker.js?name=${encodeURIComponent(name)}`, { type: "module" });
  tellNetwork(false);
  return connectFieldWorker(worker, { server: `${location.origin}/api/v2`, feeds: ["all"] });
}

async function signedIn(name: string): Promise<FieldClient> {
  const client = connect(name);
  const outcome = await client.signIn({ clientId: credentials.id, clientSecret: credentials.secret });
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  return client;
}

async function search(
  client: FieldClient,
  parameters: Record<string, string>,
): Promise<readonly Held<Individual>[]> {
  const outcome = await client.individuals.search(parameters);
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  return outcome.value.data;
}

const byName = { name: searchedName, limit: "20" };

/** One edit as a form makes it: what the person saw was read before, and only the saving counts. */
async function timedEdit(
  client: FieldClient,
  reference: string,
  { text, poisoned = false }: { readonly text: string; readonly poisoned?: boolean },
): Promise<number> {
  const read = await client.individuals.read(reference);
  if (!read.ok) throw new Error(read.problem.detail);
  const begin = performance.now();
  const outcome = await client.individuals.update(
    reference,
    (draft) => {
      if (poisoned) draft.gender = { coding: [{ system: genderSystem, code: "7" }] };
      else draft.name = { ...draft.name, middle: text };
    },
    { seen: read.value.record },
  );
  if (!outcome.ok) throw new Error(outcome.problem.detail);
  return performance.now() - begin;
}

/** Between two edits during a pull, in milliseconds: without, a person faster than any would keep the engine sending. */
const pause = 50;

let running: FieldClient | undefined;

function opened(): FieldClient {
  if (!running) throw new Error("Nothing was started.");
  return running;
}

/** Until nothing is left to send, or the time is up. */
function drained({ status }: FieldClient, deadline: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, deadline);
    const end = status.subscribe(({ pending, sending }) => {
      if (pending + sending === 0) done();
    });
    function done() {
      clearTimeout(timer);
      end();
      resolve();
    }
  });
}

async function timedRun(run: (client: FieldClient) => Promise<unknown>): Promise<Ran> {
  const client = opened();
  const at = Date.now();
  const begin = performance.now();
  await run(client);
  const { pending, sending, parked, lastError } = client.status.current;
  const milliseconds = performance.now() - begin;
  return { at, milliseconds, unsent: pending + sending, parked, lastError };
}

const measures: EngineMeasures = {
  async firstSync({ name }) {
    const client = await signedIn(name);
    const begin = performance.now();
    let first = Number.NaN;
    const end = client.changed.subscribe(() => {
      end();
      void search(client, byName).then(() => {
        first = performance.now() - begin;
      });
    });
    const { firstSync, lastError } = await client.sync();
    if (!firstSync.complete) throw new Error(`The first sync was not completed: ${lastError}`);
    await search(client, byName);
    const all = performance.now() - begin;
    await client.close();
    return { first, all, records: firstSync.records };
  },
  async firstList(name) {
    const found = await search(connect(name), { _sort: "name", limit: "50" });
    if (found.length !== 50) throw new Error("The list is not whole.");
  },
  async start(name) {
    running = await signedIn(name);
    await running.sync();
  },
  async reopen(name) {
    running = connect(name);
    await search(running, byName);
  },
  async edit({ from, count, poisonedEach, text }) {
    const times: number[] = [];
    for (let i = 0; i < count; i++) {
      const poisoned = poisonedEach > 0 && i % poisonedEach === 0;
      const reference = `Individual/urn:gov:ph:nid|${from + i}`;
      times.push(await timedEdit(opened(), reference, { text, poisoned }));
    }
    return times;
  },
  async editDuringPull(name) {
    const client = await signedIn(name);
    const first = new Promise<void>((resolve) => {
      const end = client.changed.subscribe(() => {
        end();
        resolve();
      });
    });
    let pulling = true;
    const pull = client.sync().finally(() => {
      pulling = false;
    });
    await first;
    const people = await search(client, { limit: "50" });
    const times: number[] = [];
    for (let turn = 0; pulling; turn++) {
      const reference = people[turn % people.length]?.reference ?? "";
      times.push(await timedEdit(client, reference, { text: `M${turn}` }));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    await pull;
    await client.close();
    return times;
  },
  sync: () => timedRun((client) => client.sync()),
  goOnline: (deadline) =>
    timedRun((client) => {
      tellNetwork(true);
      return drained(client, deadline);
    }),
  async stop() {
    await opened().close();
    running = undefined;
  },
};

offer(measures);
