import type { Fetch, FetchResponse } from "@fieldroll/sync";
import { describe, expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials } from "./support/world.ts";

const skew = 400 * 24 * 3_600_000;
const seconds = skew / 1_000;

type Sending = Parameters<Fetch>;

/** What a request says of the clock, write by write, and the request as a server without that takes it. */
function toldIn([url, init]: Sending): { readonly told: readonly unknown[]; readonly rest: Sending } {
  const { "x-clock-skew": header, ...headers } = init.headers;
  if (!url.includes("/$batch")) {
    const isWrite = init.method !== "GET" && !url.includes("oauth2");
    return { told: isWrite ? [header && Number(header)] : [], rest: [url, { ...init, headers }] };
  }
  const bundle = JSON.parse(init.body ?? "");
  const told = bundle.entry.map(({ request }: { request: { clockSkew?: number } }) => {
    const { clockSkew } = request;
    delete request.clockSkew;
    return clockSkew;
  });
  return { told, rest: [url, { ...init, headers, body: JSON.stringify(bundle) }] };
}

async function announcing(answer: FetchResponse, clockSkew: boolean): Promise<FetchResponse> {
  const { status, headers } = answer;
  const statement = JSON.parse(await answer.text());
  const text = JSON.stringify({ ...statement, features: { ...statement.features, clockSkew } });
  return { status, headers, text: async () => text };
}

describe("the skew of a clock", () => {
  /** A tablet whose clock is wrong, and what it says of that, write by write. */
  async function tablet({ isAnnounced = true } = {}) {
    const state = { ahead: skew };
    const all: unknown[] = [];
    const world = await createWorld();
    const device = world.device("a", {
      ahead: () => state.ahead,
      network: (send) => async (url, init) => {
        const { told, rest } = toldIn([url, init]);
        all.push(...told);
        const answer = await send(...rest);
        return url.endsWith("/metadata") ? announcing(answer, isAnnounced) : answer;
      },
    });
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    const register = (family: string) => ok(device.client.individuals.create({ name: { family } }));
    return { state, told: all, register, client: device.client };
  }

  it("is told with a record that was made by a corrected clock", async () => {
    const { client, register, told } = await tablet();
    await register("Cruz");
    await client.sync();
    expect(told).toEqual([seconds]);
  });

  it("is told with each of several records that travel together", async () => {
    const { client, register, told } = await tablet();
    await register("Cruz");
    await register("Reyes");
    await client.sync();
    expect(told).toEqual([seconds, seconds]);
  });

  it("is told of what was made before the clock was set right, and of nothing after", async () => {
    const { client, register, told, state } = await tablet();
    await register("Cruz");
    state.ahead = 0;
    await client.sync();
    await register("Reyes");
    await client.sync();
    expect(told).toEqual([seconds, undefined]);
  });

  it("is not told to a server that does not take it", async () => {
    const { client, register, told } = await tablet({ isAnnounced: false });
    await register("Cruz");
    await register("Reyes");
    await client.sync();
    expect(told).toEqual([undefined, undefined]);
  });
});
