import { createMemoryMedium } from "@fieldroll/core";
import type { Fetch, FetchResponse, FieldClient } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { picture } from "../picture.ts";
import { clientOn } from "./support/files.ts";
import { names, ok, peopleIn, system } from "./support/people.ts";
import { gate, type ManualTimers, manualTimers, turns } from "./support/timers.ts";
import { createWorld, credentials, type World } from "./support/world.ts";

const second = 1_000;
/** As the engine has it: a page that was cut is asked for again with so many. */
const fewest = 10;

let world: World;
let timers: ManualTimers;
let client: FieldClient;
/** The pages that were asked for: how many records, and from where. */
let asked: { readonly limit: number; readonly cursor: string | null }[];
const { seed } = peopleIn(() => world);

type Meet = (
  page: { readonly limit: number; readonly nth: number },
  send: () => Promise<FetchResponse>,
) => Promise<FetchResponse>;

/** A device whose pages come as `meet` has them. */
function deviceOn(meet: Meet): FieldClient {
  const fetch: Fetch = (url, init) => {
    const { pathname, searchParams } = new URL(url);
    if (!pathname.endsWith("/$changes")) return world.send(url, init);
    const limit = Number(searchParams.get("limit"));
    const nth = asked.push({ limit, cursor: searchParams.get("cursor") });
    return meet({ limit, nth }, () => world.send(url, init));
  };
  return clientOn(world, createMemoryMedium(), { fetch, timers });
}

/** An answer whose body comes in pieces, one each so many milliseconds; `cut` breaks off before the last. */
async function inPieces(
  answer: FetchResponse,
  { pieces, each, cut = false }: { readonly pieces: number; readonly each: number; readonly cut?: boolean },
): Promise<FetchResponse> {
  const bytes = new TextEncoder().encode(await answer.text());
  const size = Math.ceil(bytes.length / pieces);
  let at = 0;
  const next = () => {
    if (cut && at + size >= bytes.length) throw new TypeError("network error");
    const value = bytes.slice(at, at + size);
    at += size;
    return value.length > 0 ? { done: false, value } : { done: true };
  };
  const read = () =>
    each === 0
      ? Promise.resolve().then(next)
      : new Promise<ReturnType<typeof next>>((resolve) => timers.set(each, () => resolve(next())));
  return { ...answer, body: { getReader: () => ({ read }) } };
}

const everybody = async () => (await ok(client.individuals.search({ limit: "500" }))).data.length;

beforeEach(async () => {
  world = await createWorld();
  timers = manualTimers(world.busy);
  asked = [];
});

describe("a page that does not come whole", () => {
  it.each<[string, Meet]>([
    ["is cut", async (_, send) => inPieces(await send(), { pieces: 4, each: 0, cut: true })],
    [
      "ends too early",
      async (_, send) => {
        const { status, headers, text } = await send();
        const whole = await text();
        return { status, headers, text: async () => whole.slice(0, whole.length / 2) };
      },
    ],
  ])("and %s is asked for again smaller at once, and never from the beginning", async (_, cut) => {
    await seed(names(25));
    client = deviceOn((page, send) => (page.limit > fewest ? cut(page, send) : send()));
    await ok(client.signIn(credentials));
    expect(await client.sync()).toMatchObject({ lastError: null, firstSync: { complete: true } });
    expect(await everybody()).toBe(25);
    expect(asked.slice(0, 2).map(({ limit }) => limit)).toEqual([50, fewest]);
    const whole = asked.filter(({ limit }) => limit === fewest).map(({ cursor }) => cursor);
    expect(new Set(whole).size).toBe(whole.length);
    expect(whole.filter((cursor) => cursor === null)).toHaveLength(1);
  });

  it("and never begins is asked for again smaller after the time of a request", async () => {
    await seed(names(25));
    client = deviceOn((page, send) => (page.nth === 1 ? new Promise(() => undefined) : send()));
    await ok(client.signIn(credentials));
    const synced = client.sync();
    await timers.advance(30 * second);
    expect(await synced).toMatchObject({ lastError: null, firstSync: { complete: true } });
    expect(asked.slice(0, 2)).toEqual([
      { limit: 50, cursor: null },
      { limit: fewest, cursor: null },
    ]);
  });
});

describe("a page that comes slowly", () => {
  it("is waited for as long as more of it comes", async () => {
    await seed(names(25));
    client = deviceOn(async (_, send) => inPieces(await send(), { pieces: 8, each: 25 * second }));
    await ok(client.signIn(credentials));
    const synced = client.sync();
    await timers.advance(1_000 * second);
    expect(await synced).toMatchObject({ lastError: null, firstSync: { complete: true } });
    expect(asked.map(({ limit }) => limit)).not.toContain(fewest);
  });

  it("and stops coming ends with the time of a request", async () => {
    await seed(names(25));
    client = deviceOn(async (_, send) => {
      const answer = await inPieces(await send(), { pieces: 8, each: 40 * second });
      return answer;
    });
    await ok(client.signIn(credentials));
    const synced = client.sync();
    await timers.advance(200 * second);
    expect(await synced).toMatchObject({ lastError: expect.stringContaining("within 30 seconds") });
    expect(asked.map(({ limit }) => limit)).toEqual([50, fewest]);
  });
});

describe("a first download", () => {
  it("shows its records as soon as their page is stored, and how fast they come", async () => {
    await seed(names(120));
    client = deviceOn((page, send) => (page.nth === 2 ? new Promise(() => undefined) : send()));
    await ok(client.signIn(credentials));
    const synced = client.sync();
    await turns(world.busy);
    expect(await everybody()).toBe(50);
    const { status } = await client.diagnostics();
    expect(status.firstSync).toEqual({ complete: false, records: 50, rate: expect.any(Number) });
    await timers.advance(30 * second);
    expect((await synced).firstSync).toEqual({ complete: true, records: 120, rate: null });
  });

  it("asks for more where they come fast", async () => {
    await seed(names(900));
    client = deviceOn((_, send) => send());
    await ok(client.signIn(credentials));
    await client.sync();
    expect(asked.map(({ limit }) => limit)).toEqual([50, 200, 500, 500]);
  });
});

it("a run goes on for as long as the upload of a large photo takes", async () => {
  await seed(names(1));
  const line = gate();
  const sent: boolean[] = [];
  client = clientOn(world, createMemoryMedium(), {
    ...{ timers, automatic: true, requestTimeout: 60_000 },
    fetch: async (url, init) => {
      const isLarge = (init.body?.length ?? 0) > 1_000_000;
      if (isLarge) {
        sent.push(init.signal.aborted);
        await line.opened;
        sent.push(init.signal.aborted);
      }
      return world.send(url, init);
    },
  });
  await ok(client.signIn(credentials));
  await timers.advance(second);
  await ok(
    client.individuals.update(`Individual/${system}|P0`, (draft) => {
      draft.photo = picture("x".repeat(1_200_000));
    }),
  );
  await timers.advance(second);
  world.pass(12 * 60 * second);
  await timers.advance(6 * 60 * second);
  line.open();
  await timers.advance(second);
  expect(sent).toEqual([false, false]);
  expect(await client.sync()).toMatchObject({ pending: 0, sending: 0, lastError: null });
});
