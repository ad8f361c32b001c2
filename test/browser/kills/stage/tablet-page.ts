import type { FieldClient, SyncStatus } from "@fieldroll/sync";
import { connectFieldWorker, registerAppWorker } from "@fieldroll/sync/page";
import { randomOf } from "../../../../.scripts/torture/program.ts";
import { picture } from "../../../picture.ts";
import { addToken, tokensOf } from "./tokens.ts";

/** What a tablet's page does when it is told to. */
export interface TabletPage {
  signIn(clientId: string, clientSecret: string): Promise<string>;
  /** Makes edits, several at a time, until it is stopped or dies; tells of each before and after. */
  startEditing(program: EditProgram): void;
  /** Resolves when no edit is under way any more. */
  stopEditing(): Promise<void>;
  /** Adds a token to a record. @returns "ok", or the kind of the problem. */
  addToken(reference: string, token: string): Promise<string>;
  /** Makes a person with a token. @returns its reference, or the kind of the problem. */
  create(token: string): Promise<string>;
  /** Gives a person a photo of so many bytes. @returns "ok", or the detail of the problem. */
  addPhoto(reference: string, bytes: number): Promise<string>;
  /** How many bytes the photos of records have here, as text. */
  photos(references: readonly string[]): Promise<readonly number[]>;
  /** Tokens of records as this device shows them; `null` for one that it has not. */
  tokens(references: readonly string[]): Promise<readonly (readonly string[] | null)[]>;
  /** The server's version of a record as this device has it. */
  versionOf(reference: string): Promise<{ version: number }>;
  /** Every person on the device, as JSON. */
  everyone(): Promise<readonly unknown[]>;
  status(): Promise<SyncStatus>;
  sync(): Promise<SyncStatus>;
  /** Sentences about what waits for a person. */
  parked(): Promise<readonly string[]>;
  registerServiceWorker(): Promise<boolean>;
}

/** What edits are made. */
export interface EditProgram {
  /** Begins every token, so that none is made twice. */
  readonly life: string;
  readonly seed: number;
  /** Records to change, besides those that are made. */
  readonly references: readonly string[];
  /** Edits under way at once. */
  readonly hands: number;
}

/** How the page tells whoever drives it; what is told last may not arrive when the page dies. */
interface Tell {
  /** Resolves when it has arrived. */
  tellBegun(token: string, reference: string | null): Promise<void>;
  tellDone(token: string, reference: string): void;
  tellRefused(token: string, detail: string): void;
}

const tell = globalThis as unknown as Tell;
const client: FieldClient = connectFieldWorker(new Worker("tablet-worker.js"), {
  server: `${window.location.origin}/api/v2`,
});
let editing = false;
let hands: Promise<void>[] = [];

async function edit(token: string, reference: string): Promise<void> {
  await tell.tellBegun(token, reference);
  const outcome = await client.individuals.update(reference, (draft) => addToken(draft, token));
  // A record that is not pulled yet can't be edited; nothing was promised.
  if (outcome.ok) tell.tellDone(token, reference);
  else if (outcome.problem.kind !== "not-found") tell.tellRefused(token, outcome.problem.detail);
}

async function create(token: string): Promise<string | null> {
  await tell.tellBegun(token, null);
  const outcome = await client.individuals.create(addToken({ name: { given: "Ana", family: token } }, token));
  if (outcome.ok) tell.tellDone(token, outcome.value.reference);
  else tell.tellRefused(token, outcome.problem.detail);
  return outcome.ok ? outcome.value.reference : null;
}

async function editOn({ life, seed, references }: EditProgram, hand: number): Promise<void> {
  const random = randomOf(`${life} ${hand} ${seed}`);
  const known = [...references];
  for (let n = 0; editing; n++) {
    const token = `${life}.${hand}.${n}`;
    const reference = known[random(known.length)];
    if (!reference || random(4) === 0) {
      const made = await create(token);
      if (made) known.push(made);
    } else await edit(token, reference);
    // Without a pause there would always be more to push, and nothing would be pulled.
    await new Promise((resolve) => setTimeout(resolve, random(100)));
  }
}

/** The frame of a JPEG with something in it that no disk could write shorter. */
function photoOf(bytes: number): string {
  const content = new Uint8Array(bytes);
  for (let from = 0; from < bytes; from += 60_000)
    crypto.getRandomValues(content.subarray(from, from + 60_000));
  const text = Array.from(content, (byte) => String.fromCharCode(byte === 0xff ? 0 : byte)).join("");
  return picture(text);
}

const page: TabletPage = {
  async signIn(clientId, clientSecret) {
    const outcome = await client.signIn({ clientId, clientSecret });
    return outcome.ok ? "ok" : outcome.problem.detail;
  },
  startEditing(program) {
    editing = true;
    hands = Array.from({ length: program.hands }, (_, hand) => editOn(program, hand));
  },
  async stopEditing() {
    editing = false;
    await Promise.all(hands);
  },
  async addToken(reference, token) {
    const outcome = await client.individuals.update(reference, (draft) => addToken(draft, token));
    return outcome.ok ? "ok" : outcome.problem.kind;
  },
  async create(token) {
    const outcome = await client.individuals.create(
      addToken({ name: { given: "Ana", family: token } }, token),
    );
    return outcome.ok ? outcome.value.reference : outcome.problem.kind;
  },
  async addPhoto(reference, bytes) {
    const photo = photoOf(bytes);
    const outcome = await client.individuals.update(reference, (draft) => ({ ...draft, photo }));
    return outcome.ok ? "ok" : outcome.problem.detail;
  },
  photos: (references) =>
    Promise.all(
      references.map(async (reference) => {
        const outcome = await client.individuals.read(reference);
        return outcome.ok ? (outcome.value.record.photo?.length ?? 0) : 0;
      }),
    ),
  tokens: (references) =>
    Promise.all(
      references.map(async (reference) => {
        const outcome = await client.individuals.read(reference);
        if (outcome.ok) return tokensOf(outcome.value.record);
        // A store that can't be read now has lost nothing yet.
        if (outcome.problem.kind !== "not-found") throw new Error(outcome.problem.detail);
        return null;
      }),
    ),
  async versionOf(reference) {
    const outcome = await client.individuals.read(reference);
    return { version: outcome.ok ? Number(outcome.value.record.meta.versionId) : 0 };
  },
  async everyone() {
    const found: unknown[] = [];
    for (let cursor: string | undefined, more = true; more; ) {
      const outcome = await client.individuals.search({ limit: "100", ...(cursor && { cursor }) });
      if (!outcome.ok) throw new Error(outcome.problem.detail);
      found.push(...outcome.value.data.map(({ record }) => record));
      cursor = outcome.value.nextCursor;
      more = outcome.value.hasMore;
    }
    return found;
  },
  // What the worker says now, and not what it said last.
  status: () => new Promise((resolve) => setTimeout(() => resolve(client.status.current), 150)),
  sync: () => client.sync(),
  parked: async () => (await client.parked()).map(({ reference, detail }) => `${reference}: ${detail}`),
  registerServiceWorker: () => registerAppWorker("tablet-service-worker.js", () => undefined),
};

Object.assign(globalThis, { tablet: page });
