import {
  createMemoryMedium,
  createMemoryStore,
  type JsonObject,
  type MemoryMedium,
  unwrap,
} from "@fieldroll/core";
import { createSeededRandom, createVirtualTime } from "@fieldroll/core/testing";
import { createFieldClient, type Fetch, type FieldClient } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { mortal } from "../sync/support/mortal.ts";
import { root, type SimulatedServer, secret, startServer } from "./server.ts";

/**
 * Every history of a small world: two tablets that know one person, up to two edits on each, and one thing that goes wrong,
 * at every place where it can: a request lost, an answer lost, a kill before or after a commit.
 */

const person = "Individual/urn:test:national|P";

type Edit = "mark" | "name" | "date";
type Failing = "request lost" | "answer lost" | "killed before" | "killed after";

/** What goes wrong, and at which request or commit of the first tablet's sync. */
interface Mishap {
  readonly what: Failing;
  readonly at: number;
}

const programs: readonly (readonly Edit[])[] = [
  [],
  ["mark"],
  ["name"],
  ["date"],
  ["mark", "name"],
  ["name", "name"],
  ["name", "date"],
  ["mark", "mark"],
];
/** All of them where asked for, as they take minutes; else two of one edit, against all that the other may do. */
const whole = process.env.FIELDROLL_SMALL_SCOPE === "whole";
const firstPrograms = whole ? programs.slice(1) : programs.slice(1, 3);
const mishaps: readonly Failing[] = ["request lost", "answer lost", "killed before", "killed after"];
/** Whether the other tablet has sent its edits before the first one tries, or does after that. */
const orders = ["before", "after"] as const;

interface Tablet {
  readonly name: string;
  readonly medium: MemoryMedium;
}

describe("two tablets with one person", () => {
  let states = 0;

  it.each(firstPrograms.map((mine) => ({ mine, named: mine.join(" and ") })))(
    "lose nothing of $named, whatever the other does and whatever goes wrong",
    { timeout: 120_000 },
    async ({ mine }) => {
      for (const history of historiesOf(mine)) {
        for (let at = 1; await happens({ ...history, mishap: { what: history.what, at } }); at++) states++;
      }
    },
  );

  it("pass through as many states as there are", () => {
    expect(states).toBe(expectedStates);
  });
});

/** How many histories there are: fewer would mean that one was left out. */
const expectedStates = whole ? 2070 : 600;

function historiesOf(mine: readonly Edit[]) {
  return programs.flatMap((theirs) =>
    orders.flatMap((order) => mishaps.map((what) => ({ mine, theirs, order, what }))),
  );
}

interface History {
  readonly mine: readonly Edit[];
  readonly theirs: readonly Edit[];
  readonly order: (typeof orders)[number];
  readonly mishap: Mishap;
}

/** The world as every history finds it. */
interface Beginning {
  readonly server: MemoryMedium;
  readonly one: MemoryMedium;
  readonly other: MemoryMedium;
}

let beginning: Promise<Beginning> | undefined;

/** A person at the server, and on two tablets that are signed in. */
async function begin(): Promise<Beginning> {
  const world = await open({
    server: createMemoryMedium({ name: "server" }),
    one: createMemoryMedium({ name: "one" }),
    other: createMemoryMedium({ name: "other" }),
  });
  const { server, one, other, ways } = world;
  unwrap(
    await server.view.individuals.create({
      type: "Individual",
      identifier: [{ system: "urn:test:national", value: "P" }],
      name: { family: "Cruz", given: "Ana" },
    }),
  );
  for (const tablet of [one, other]) {
    await run(tablet, ways, async (client) => {
      unwrap(await client.signIn({ clientId: tablet.name, clientSecret: secret }));
      await client.sync();
    });
  }
  return { server: server.medium, one: one.medium, other: other.medium };
}

async function open(media: Beginning) {
  const time = createVirtualTime(Date.UTC(2026, 0, 15), async () => undefined);
  const random = createSeededRandom(7);
  const server = await startServer({ time, random, devices: 2, medium: media.server });
  const one: Tablet = { name: "d0", medium: media.one };
  const other: Tablet = { name: "d1", medium: media.other };
  return { server, one, other, ways: { server, random, now: () => time.now } };
}

/** Lets a history happen, and looks at its end. @returns whether the mishap had its place in it */
async function happens(history: History): Promise<boolean> {
  const { mine, theirs, order, mishap } = history;
  beginning ??= begin();
  const { server, one, other, ways } = await open(structuredClone(await beginning));
  await run(one, ways, (client) => work(client, mine, "a"));
  await run(other, ways, (client) => work(client, theirs, "b"));
  if (order === "before") await run(other, ways, (client) => client.sync());
  const met = await run(one, ways, (client) => client.sync(), mishap);
  await run(other, ways, (client) => client.sync());
  for (const tablet of [one, other, one]) await run(tablet, ways, settleAll);
  await run(other, ways, (client) => client.sync());
  await check(history, server, [one, other]);
  return met;
}

interface Ways {
  readonly server: SimulatedServer;
  readonly random: ReturnType<typeof createSeededRandom>;
  readonly now: () => number;
}

/** Starts a tablet, lets it do something, and stops it; or until it is killed. @returns whether the mishap came */
async function run(
  { medium }: Tablet,
  { server, random, now }: Ways,
  act: (client: FieldClient) => Promise<unknown>,
  mishap?: Mishap,
): Promise<boolean> {
  let killed: () => void = () => undefined;
  const death = new Promise<void>((resolve) => {
    killed = resolve;
  });
  const fate = { requests: 0, met: false, dead: false };
  const client = createFieldClient({
    server: root,
    store: mortal(createMemoryStore({ medium }), killIn(mishap), () => {
      fate.met = true;
      fate.dead = true;
      killed();
    }),
    fetch: reach(server, () => {
      if (fate.dead) return "dead";
      const kind = mishap?.what;
      if (!mishap || (kind !== "request lost" && kind !== "answer lost")) return "arrives";
      if (++fate.requests !== mishap.at) return "arrives";
      fate.met = true;
      return kind;
    }),
    clock: () => new Date(now()),
    random: () => 0,
    newId: () => random.uuid(now()),
    timers: { set: () => () => undefined },
    lock: { acquire: async () => () => undefined },
    automatic: false,
  });
  await Promise.race([act(client), death]);
  if (!fate.dead) await client.close();
  return fate.met;
}

const forever = () => new Promise<never>(() => undefined);

/** At which commit a tablet is killed; never, where something else goes wrong. */
function killIn(mishap: Mishap | undefined): Parameters<typeof mortal>[1] {
  const side = mishap?.what === "killed before" ? "before" : "after";
  const kills = mishap?.what === "killed before" || mishap?.what === "killed after";
  return { at: kills ? mishap.at : 0, side };
}

function reach(server: SimulatedServer, fate: () => "arrives" | "dead" | Failing): Fetch {
  return async (url, { method, headers, body }) => {
    const now = url.endsWith("/oauth2/token") ? "arrives" : fate();
    if (now === "dead") return forever();
    if (now === "request lost") throw new TypeError("lost");
    const response = await server.answer(
      new Request(url, { method, headers, ...(body !== undefined && { body }) }),
    );
    if (now === "answer lost") throw new TypeError("lost");
    return response;
  };
}

async function work(client: FieldClient, edits: readonly Edit[], who: string): Promise<void> {
  for (const [i, edit] of edits.entries()) {
    unwrap(
      await client.individuals.update(person, (draft) => {
        if (edit === "mark")
          draft.telecom = [...(draft.telecom ?? []), { system: "fax", value: `${who}${i}` }];
        if (edit === "name") draft.name.family = `Family ${who}${i}`;
        if (edit === "date") draft.birthDate = who === "a" ? `198${i}-01-01` : `197${i}-01-01`;
      }),
    );
  }
}

/** Sends what there is to send; a person keeps what they did themselves, where both did something. */
async function settleAll(client: FieldClient): Promise<void> {
  await client.sync();
  for (const { reference, reason, revision, conflicts } of await client.parked()) {
    expect(reason).toBe("conflict");
    const choices = Object.fromEntries(conflicts.map(({ path }) => [path, "ours" as const]));
    unwrap(await client.resolve(reference, { kind: "choose", revision, choices }));
  }
  await client.sync();
}

async function check(history: History, server: SimulatedServer, tablets: readonly Tablet[]): Promise<void> {
  const {
    name,
    telecom = [],
    birthDate,
    meta,
  } = unwrap(await server.view.individuals.read("urn:test:national|P"));
  const marks = telecom.map(({ value }) => value).toSorted();
  const expected = [...markedBy(history.mine, "a"), ...markedBy(history.theirs, "b")].toSorted();
  const about = JSON.stringify(history);
  expect({ about, marks }).toEqual({ about, marks: expected });
  const wanted = (edit: Edit) => [history.mine, history.theirs].some((edits) => edits.includes(edit));
  expect({ about, named: name.family !== "Cruz" }).toEqual({ about, named: wanted("name") });
  expect({ about, dated: birthDate !== undefined }).toEqual({ about, dated: wanted("date") });
  expect([...server.effects.values()].every(({ size }) => size === 1)).toBe(true);
  for (const { medium } of tablets) {
    expect({ about, left: medium.collections.get("outbox")?.size ?? 0 }).toEqual({ about, left: 0 });
    const held = [...(medium.collections.get("Individual")?.values() ?? [])];
    const versions = held.map(({ body }) => (body as { record: { meta: JsonObject } }).record.meta.versionId);
    expect({ about, versions }).toEqual({
      about,
      versions: [meta.versionId],
    });
  }
}

function markedBy(edits: readonly Edit[], who: string): readonly string[] {
  return edits.flatMap((edit, i) => (edit === "mark" ? [`${who}${i}`] : []));
}
