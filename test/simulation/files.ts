import type { SeededRandom } from "@fieldroll/core/testing";
import type { FieldClient } from "@fieldroll/sync";
import type { SimulatedDevice } from "./device.ts";

/** A file with unsent edits, and whose they are. */
interface CarriedFile {
  readonly person: string;
  readonly file: string;
}

/** What carrying needs, besides the tablets. */
export interface Carrying {
  readonly devices: readonly SimulatedDevice[];
  readonly random: SeededRandom;
  /** All files that were ever made: an old one may be taken in again. */
  readonly files: CarriedFile[];
  readonly tell: (line: string) => void;
  readonly count: (what: string, by?: number) => void;
}

/** Carries unsent edits from a tablet to another one that its person may sign in on: by a file made now, or an older one. */
export async function carry(
  from: SimulatedDevice,
  { devices, random, files, tell, count }: Carrying,
): Promise<void> {
  const [to] = devices.filter(({ name, people }) => name !== from.name && people.includes(from.person));
  const [giver, taker] = [from.client, to?.client];
  if (!to || !giver || !taker) return;
  const { person } = from;
  const made = await whileOpen(from, giver, giver.exportUnsent(passphrase));
  if (made?.ok && made.value.records > 0) files.push({ person, file: made.value.file });
  const theirs = files.filter((each) => to.people.includes(each.person));
  const file = random.chance(0.7) ? theirs.at(-1) : theirs[random.below(theirs.length)];
  if (!file || to.client !== taker) return;
  const taken = await whileOpen(to, taker, taker.importUnsent(file.file, passphrase));
  if (!taken?.ok) return;
  const { restored, sealed } = taken.value;
  tell(`${to.name} takes ${restored} and ${sealed} of ${file.person} out of a file of ${from.name}`);
  count("files taken in");
  count("records out of files", restored + sealed);
}

const passphrase = "a passphrase of the simulation";

/** Nobody waits for what a tablet does that died of it. */
async function whileOpen<T>(
  device: SimulatedDevice,
  client: FieldClient,
  work: Promise<T>,
): Promise<T | null> {
  let ended: { readonly value: T | null } | null = null;
  work.then(
    (value) => {
      ended = { value };
    },
    () => {
      ended = { value: null };
    },
  );
  while (!ended && device.tabs.includes(client)) await new Promise((resolve) => setImmediate(resolve));
  return (ended as { readonly value: T | null } | null)?.value ?? null;
}

let isHurried = false;

/** A passphrase of the simulation hides nothing: the rounds that make it slow to guess would take most of the time. */
export function hurryCiphers(): void {
  if (isHurried) return;
  isHurried = true;
  const { subtle } = globalThis.crypto;
  const slow = subtle.deriveKey.bind(subtle);
  const hurried: typeof subtle.deriveKey = (algorithm, ...rest) =>
    slow(
      typeof algorithm === "object" && "iterations" in algorithm
        ? { ...algorithm, iterations: 1 }
        : algorithm,
      ...rest,
    );
  subtle.deriveKey = hurried;
}
