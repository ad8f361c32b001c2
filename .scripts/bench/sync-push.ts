import { system } from "./seed.ts";
import { findingText, median } from "./stores-figures.ts";
import { type Line, openLine, type Traffic } from "./sync-line.ts";
import type { Service, Stage } from "./sync-stage.ts";
import type { EngineMeasures, Ran } from "./sync-task.ts";

/** The tablet's edits are of the first half of the register, those by hand and of the office of either. */
const edits = 1_000;
const batchSize = 100;
const roundTrip = 20;
/** In milliseconds: what has not arrived by then is counted. */
const deadline = 30_000;

/** One push of all edits. */
interface Push {
  /** From the engine's start to the answer to its last write; with the deadline, until that. */
  readonly milliseconds: number;
  readonly ran: Ran;
  readonly traffic: Traffic;
}

interface Scene {
  readonly stage: Stage;
  readonly line: Line;
  readonly service: Service;
}

interface PushOptions {
  readonly name: string;
  readonly loss: number;
  readonly poisonedEach: number;
  /** Done on the server once the tablet has made its edits. */
  readonly meanwhile?: () => Promise<void>;
}

/** 1,000 edits of 1,000 people made without a network, then sent: clean, with loss, with poison, into conflicts. */
export async function benchPush({ stage, rounds }: { stage: Stage; rounds: number }): Promise<void> {
  const service = await stage.serve(2 * edits);
  const line = await openLine(service.port);
  const scene = { stage, line, service };
  const [clean, poisoned, conflicts, hand, lossy]: [Push[], Push[], Push[], number[], Push[]] = [
    [],
    [],
    [],
    [],
    [],
  ];
  for (let round = 0; round < Math.min(rounds, 2); round++) {
    const name = (kind: string) => `push-${kind}-${round}`;
    hand.push(await byHand(line, service));
    clean.push(await push(scene, { name: name("clean"), loss: 0, poisonedEach: 0 }));
    poisoned.push(await push(scene, { name: name("poison"), loss: 0, poisonedEach: 100 }));
    const meanwhile = () => editAtOffice(service, `O${round}`);
    conflicts.push(await push(scene, { name: name("conflicts"), loss: 0, poisonedEach: 0, meanwhile }));
  }
  lossy.push(await push(scene, { name: "push-loss", loss: 0.1, poisonedEach: 0 }));
  line.close();
  report({ clean, poisoned, conflicts, hand, lossy });
}

async function push({ stage, line }: Scene, options: PushOptions): Promise<Push> {
  const { name, loss, poisonedEach, meanwhile } = options;
  line.set({ roundTrip: 0, loss: 0 });
  const tab = await stage.open<EngineMeasures>("engine", line.port, { at: name });
  await tab.call("start", name);
  const edited = sum(await tab.call("edit", { from: 0, count: edits, poisonedEach, text: name }));
  await meanwhile?.();
  line.set({ roundTrip, loss });
  line.traffic();
  const ran = await (loss > 0 ? tab.call("goOnline", deadline) : tab.call("sync"));
  const traffic = line.traffic();
  await tab.close();
  process.stderr.write(
    `${name}: edits in ${(edited / 1000).toFixed(1)} s, run in ${(ran.milliseconds / 1000).toFixed(1)} s\n`,
  );
  const milliseconds = loss > 0 ? ran.milliseconds : traffic.lastWriteAt - ran.at;
  return { milliseconds, ran, traffic };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** The same edits of other people in batches, one after the other over the same line: what a push can cost at least. */
async function byHand(line: Line, service: Service): Promise<number> {
  const bodies = await batchesOf(service, edits, `H${line.port}`);
  line.set({ roundTrip, loss: 0 });
  const begin = performance.now();
  for (const body of bodies) await sendBatch({ ...service, port: line.port }, body);
  return performance.now() - begin;
}

/** What an office does meanwhile: it edits another field of the same people. */
async function editAtOffice(service: Service, text: string): Promise<void> {
  for (const body of await batchesOf(service, 0, text)) await sendBatch(service, body);
}

/** Batches that edit so many people from one on, each as it is now on the server. */
async function batchesOf(service: Service, from: number, text: string): Promise<readonly object[]> {
  const bodies: object[] = [];
  for (let at = from; at < from + edits; at += batchSize) {
    const urls = Array.from({ length: batchSize }, (_, i) => `Individual/${system}|${at + i}`);
    const read = await sendBatch(service, bundle(urls.map((url) => ({ request: { method: "GET", url } }))));
    const resource = { telecom: [{ system: "email", value: `${text.toLowerCase()}@example.org` }] };
    const entries = urls.map((url, i) => ({
      request: { method: "PATCH", url, ifMatch: read[i]?.response.etag },
      resource,
    }));
    bodies.push(bundle(entries));
  }
  return bodies;
}

function bundle(entry: readonly object[]): object {
  return { resourceType: "Bundle", type: "batch", entry };
}

interface BatchAnswer {
  readonly response: { readonly status: number; readonly etag?: string };
}

async function sendBatch({ port, token }: Service, body: object): Promise<readonly BatchAnswer[]> {
  const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };
  const url = `http://127.0.0.1:${port}/api/v2/$batch`;
  const answer = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  const { entry = [] } = (await answer.json()) as { readonly entry?: readonly BatchAnswer[] };
  const refused = entry.find(({ response }) => response.status >= 300);
  if (!answer.ok || refused)
    throw new Error(`A batch was answered ${answer.status}: ${JSON.stringify(refused)}`);
  return entry;
}

interface Pushes {
  readonly clean: readonly Push[];
  readonly poisoned: readonly Push[];
  readonly conflicts: readonly Push[];
  readonly hand: readonly number[];
  readonly lossy: readonly Push[];
}

function report({ clean, poisoned, conflicts, hand, lossy }: Pushes): void {
  const time = (pushes: readonly Push[]) => median(pushes.map(({ milliseconds }) => milliseconds));
  const ideal = (edits / batchSize) * roundTrip;
  const by = `batches by hand take ${median(hand).toFixed(0)} ms`;
  const ofIdeal = (pushes: readonly Push[]) => time(pushes) / ideal;
  say({
    name: `push of ${edits} edits with ${roundTrip} ms round trips`,
    value: `${ofIdeal(clean).toFixed(1)} of the ideal ${ideal} ms`,
    goal: "≤ 1.3",
    figures: `${said(clean)}; ${by}`,
    reached: ofIdeal(clean) <= 1.3,
  });
  say({
    name: "the same with 10 % of requests or answers lost",
    value: `${ofIdeal(lossy).toFixed(1)} of the ideal`,
    goal: "≤ 1.3",
    figures: said(lossy),
    reached: ofIdeal(lossy) <= 1.3 && lossy.every(({ ran }) => ran.unsent === 0),
  });
  const poison = time(poisoned) / time(clean);
  say({
    name: "push with 1 % poisoned edits",
    value: `${poison.toFixed(2)} of a clean run`,
    goal: "≤ 1.2",
    figures: said(poisoned),
    reached: poison <= 1.2 && poisoned.every(({ ran }) => ran.parked === edits / 100),
  });
  const merged = time(conflicts) / time(clean);
  say({
    name: `${edits} conflicts merged by themselves`,
    value: `${merged.toFixed(2)} of a clean run`,
    goal: "≤ 3",
    figures: said(conflicts),
    reached: merged <= 3 && conflicts.every(({ ran }) => ran.parked + ran.unsent === 0),
  });
}

function say(found: Parameters<typeof findingText>[0]): void {
  process.stdout.write(findingText(found));
}

function said(pushes: readonly Push[]): string {
  const [push] = pushes.slice(-1);
  if (!push) return "";
  const { ran, traffic } = push;
  const left = ran.unsent > 0 ? `, ${ran.unsent} NOT SENT after ${deadline / 1000} s (${ran.lastError})` : "";
  const times = pushes.map(({ milliseconds }) => `${milliseconds.toFixed(0)} ms`).join(", ");
  return `${times}: ${traffic.writes} writes of ${traffic.requests} requests, at most ${traffic.writesAtOnce} at once, ${traffic.lost} lost, ${ran.parked} parked${left}`;
}
