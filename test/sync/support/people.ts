import { type Outcome, unwrap } from "@fieldroll/core";
import type { Fetch, FetchResponse, FieldClient } from "@fieldroll/sync";
import { type OneAnswer, requestsIn } from "./bundles.ts";
import { credentials, type Device, type DeviceOptions, type World } from "./world.ts";

/** The system of the people here. */
export const system = "urn:test:national";
/** Values of so many people. */
export const names = (count: number) => Array.from({ length: count }, (_, i) => `P${i}`);
/** A status that leaves nothing to be done. */
export const settled = { pending: 0, sending: 0, parked: 0, lastError: null };

/** Lets a request through to the server. */
export type Reach = () => ReturnType<Fetch>;

/** Stands before the server where bundles go; tells what was sent there. */
export function atBatch(meet: (reach: Reach, sent: Sent, nth: number) => Promise<FetchResponse>) {
  const sent: Sent[] = [];
  const network = (send: Fetch): Fetch => {
    return (url, init) => {
      if (!url.includes("/$batch")) return send(url, init);
      const body = init.body ?? "";
      const one = { key: init.headers["idempotency-key"] ?? "", body, size: requestsIn(body).length };
      return meet(() => send(url, init), one, sent.push(one));
    };
  };
  return { sent, network };
}

/** A bundle as it was sent. */
export interface Sent {
  readonly key: string;
  readonly body: string;
  readonly size: number;
}

/** An answer of something that may be the server. */
export function answer(status: number, body: object | string = "", type = "application/json"): Response {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return new Response(text, { status, headers: { "content-type": type } });
}

/** How many travelled together, the most first. */
export function sizes(sent: readonly Sent[]): readonly number[] {
  return sent.map(({ size }) => size).sort((a, b) => b - a);
}

/** A problem as the API words it. */
export function refusal(status: number, kind: string, more: object = {}): OneAnswer & { body: object } {
  return { status, body: { type: `urn:service:error:${kind}`, status, detail: `It is ${kind}.`, ...more } };
}

/** The value of what has to succeed. */
export async function ok<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  return unwrap(await outcome);
}

/** What is sent to register a person. */
export function personOf(value: string, name: { readonly family?: string; readonly given: string }) {
  return { type: "Individual", identifier: [{ system, value }], name };
}

/** People on the server of a world, and a device that knows and renames them. */
export function peopleIn(world: () => World) {
  async function seed(people: readonly string[]): Promise<void> {
    for (const value of people) {
      await ok(world().view.individuals.create(personOf(value, { family: "Cruz", given: value })));
    }
  }

  async function ready(options?: DeviceOptions): Promise<Device> {
    const device = world().device("a", options);
    await ok(device.client.signIn(credentials));
    await device.client.sync();
    world().requests.length = 0;
    return device;
  }

  async function rename(client: FieldClient, people: readonly string[], family = "Reyes"): Promise<void> {
    for (const value of people) {
      await ok(
        client.individuals.update(`Individual/${system}|${value}`, (draft) => {
          draft.name.family = family;
        }),
      );
    }
  }

  const families = async () => {
    const { data } = await ok(world().view.individuals.search({ limit: "500" }));
    return data.map(({ name }) => name.family);
  };
  const versions = async () => {
    const { data } = await ok(world().view.individuals.search({ limit: "500" }));
    return data.map(({ meta }) => meta.versionId);
  };
  const sentWrites = () => world().requests.filter((request) => !request.startsWith("GET"));
  return { seed, ready, rename, families, versions, sentWrites };
}
