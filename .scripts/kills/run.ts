import { openRegister, type Register } from "../../test/browser/kills/stage/register.ts";
import { drain, openTablet, signInOn, type Tablet } from "../../test/browser/kills/stage/tablet.ts";
import { randomOf } from "../torture/program.ts";
import { type Moment, momentsOf } from "./moments.ts";
import { differences, missing, referenceOf, violations } from "./oracle.ts";
import { listenTo, noPromises, type Promises, promisedTokens } from "./promises.ts";

/** What is killed how often. */
export interface KillOptions {
  readonly executablePath: string;
  readonly kills: number;
  /** Decides what is edited and when is killed, as far as a program can decide it. */
  readonly seed: number;
  /** People on the server at the beginning. */
  readonly people: number;
  /** After how many kills everything is sent and compared; it is at the end in any case. */
  readonly wholeEvery: number;
  /** After how many kills another tablet takes over, whose first sync is killed too. */
  readonly freshEvery: number;
  /** Told after each kill. */
  readonly tell?: (kill: number, moment: Moment, found: Found) => void;
}

/** What the kills came to. */
export interface Found {
  /** Edits whose promise had resolved. */
  promised: number;
  /** Edits that were begun and are there although nothing was promised. */
  beyond: number;
  /** Requests that were sent again and answered as before. */
  replayed: number;
  /** Writes that had to be merged first. */
  conflicts: number;
}

/** The state of a run. */
interface Run extends KillOptions {
  readonly register: Register;
  readonly promises: Promises[];
  readonly office: Map<string, { given: string; times: number }>;
  tablet: Tablet;
  begun: () => void;
}

/**
 * Kills a browser or its tabs at random moments while people edit, in the office and on a tablet, and the engine pushes and
 * pulls; opens the same profile after each kill, and compares what is there with what was promised.
 *
 * @throws Error at the first thing that is not as it must be.
 */
export async function killTablets(options: KillOptions): Promise<Found> {
  const register = await openRegister(options.people);
  const nextMoment = momentsOf(options.seed);
  let run: Run | undefined;
  try {
    run = await begin(options, register);
    const found: Found = { promised: 0, beyond: 0, replayed: 0, conflicts: 0 };
    for (let kill = 1; kill <= options.kills; kill++) {
      const moment = nextMoment();
      await liveUntil(run, moment, kill);
      await checkPromises(run);
      const fresh = kill % options.freshEvery === 0;
      if (fresh || kill === options.kills || kill % options.wholeEvery === 0) await checkWhole(run, found);
      if (fresh && kill < options.kills) await replaceTablet(run, kill);
      found.promised = run.promises.reduce((sum, { done }) => sum + done.size, 0);
      options.tell?.(kill, moment, found);
    }
    return found;
  } finally {
    await run?.tablet.close();
    await register.close();
  }
}

async function begin(options: KillOptions, register: Register): Promise<Run> {
  const promises: Promises[] = [];
  const office = new Map();
  const tablet = undefined as unknown as Tablet;
  const run: Run = { ...options, register, promises, office, tablet, begun: () => undefined };
  await takeTablet(run, 0);
  return run;
}

async function replaceTablet(run: Run, kill: number): Promise<void> {
  await run.tablet.close();
  await takeTablet(run, kill);
}

async function takeTablet(run: Run, kill: number): Promise<void> {
  const { executablePath, register } = run;
  const { folder, gate } = register;
  const promises = noPromises();
  run.promises.push(promises);
  const heard = listenTo(promises, () => run.begun());
  run.tablet = await openTablet({ executablePath, folder, name: `tablet-${kill}`, server: gate.port, heard });
  await signInOn(run.tablet.tab());
}

/** Edits, in the office too, until the moment has come; kills; and opens the app again. */
async function liveUntil(run: Run, moment: Moment, kill: number): Promise<void> {
  const { tablet, seed, register } = run;
  const random = randomOf(`life ${seed} ${kill}`);
  const references = Array.from({ length: 20 }, () => register.people[random(register.people.length)] ?? "");
  const due = momentCome(run, moment, random);
  let alive = true;
  const office = workInOffice(run, references, () => alive);
  await tablet.tab().call("startEditing", { life: `k${kill}`, seed, references, hands: 3 });
  await due;
  await tablet.kill(moment.how);
  alive = false;
  await office;
  await tablet.reopen();
}

/** The longest that a moment is waited for, in milliseconds: where nothing is left to pull, no page is asked for. */
const patience = 5_000;

function momentCome(run: Run, moment: Moment, random: (below: number) => number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0;
    const pass = (event: Moment["at"]) => {
      if (event === moment.at && ++count === moment.count) setTimeout(resolve, moment.later);
    };
    run.begun = () => pass("edit begun");
    run.register.gate.watch((event) => {
      pass(event);
      return new Promise((after) => setTimeout(after, random(12)));
    });
    setTimeout(resolve, patience);
  });
}

/** Somebody in the office gives people other names meanwhile. */
async function workInOffice(
  { register, office }: Run,
  references: readonly string[],
  goesOn: () => boolean,
): Promise<void> {
  for (let i = 0; goesOn(); i++) {
    const reference = references[i % references.length] ?? "";
    const times = (office.get(reference)?.times ?? 0) + 1;
    const given = `Office ${times}`;
    // What is changed meanwhile is changed the next time.
    const done = await register.office.patch(`/${reference}`, { name: { given } }).catch(() => null);
    if (done) office.set(reference, { given, times });
  }
}

/** Everything that was promised is on the device, also before anything was sent. */
async function checkPromises({ tablet, promises }: Run): Promise<void> {
  const present = promises.at(-1) ?? noPromises();
  if (present.refused.length > 0) throw new Error(`Edits were refused: ${present.refused.join("; ")}`);
  const references = [...promisedTokens(present).keys()];
  const shown = await tablet.tab().call("tokens", references);
  const lost = missing(present, (reference) => shown[references.indexOf(reference)] ?? null);
  if (lost.length === 0) return;
  const status = JSON.stringify(await tablet.tab().call("status"));
  throw new Error(`Lost on the device: ${lost.join("; ")}, status ${status}`);
}

/** Sends everything, and compares device and server with each other and with what was promised. */
async function checkWhole(run: Run, found: Found): Promise<void> {
  const { tablet, register, promises, office } = run;
  await drain(tablet.tab());
  const everyone = await register.everyone();
  const { ledger } = register.gate;
  const wrong = [
    ...violations({ everyone, ledger, office, promises }),
    ...differences(await tablet.tab().call("everyone"), everyone),
  ];
  if (wrong.length > 0) throw new Error(`After a kill: ${wrong.slice(0, 10).join("\n")}`);
  const there = new Set(everyone.map(referenceOf));
  found.beyond = promises
    .flatMap(({ begun, done }) => [...begun].filter(([token]) => !done.has(token)))
    .filter(([, reference]) => reference !== null && there.has(reference)).length;
  found.replayed = ledger.filter(({ replayed }) => replayed).length;
  found.conflicts = ledger.filter(({ status }) => status === 409).length;
}
