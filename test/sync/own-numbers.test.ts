import type { Fetch, FetchResponse } from "@fieldroll/sync";
import { beforeEach, describe, expect, it } from "vitest";
import { run } from "./support/files.ts";
import { ok, personOf, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const ana = `Individual/${system}|ANA`;
const program = "Program/urn:service:program|CASH";
const arrived = { pending: 0, sending: 0, parked: 0 };
const day = 24 * 60 * 60_000;

describe("a plain server that gives records identifiers of its own in place of those that were sent", () => {
  let world: World;
  let tablet: Device;
  let posts: number;
  /** What the next answer to a POST goes through. */
  let answered: (response: FetchResponse) => Promise<FetchResponse>;

  const numbering =
    (send: Fetch): Fetch =>
    async (url, init) => {
      if (init.method !== "POST" || !/\/(Individual|ProgramMembership)$/.test(url)) return send(url, init);
      posts += 1;
      const identifier = [{ system: "urn:their:id", value: `T${posts}` }];
      const body = JSON.stringify({ ...JSON.parse(init.body ?? "{}"), identifier });
      return answered(await send(url, { ...init, body }));
    };

  beforeEach(async () => {
    world = await createWorld();
    posts = 0;
    answered = async (response) => response;
    await ok(world.view.individuals.create(personOf("ANA", { family: "Cruz", given: "Ana" })));
    const cash = { identifier: [{ system: "urn:service:program", value: "CASH" }], name: "Cash" };
    const rest = { targetType: "individual", period: { start: "2026-01-01" } } as const;
    await ok(world.view.programs.create({ type: "Program", ...cash, ...rest }));
    tablet = world.device("a", { network: (send) => numbering(plain(send)) });
    await ok(tablet.client.signIn(credentials));
    await run(tablet, 1);
  });

  const register = () => ok(tablet.client.individuals.create({ name: { family: "Diaz", given: "Jo" } }));
  const addPhone = (reference: string) =>
    ok(
      tablet.client.individuals.update(reference, (draft) => {
        draft.telecom = [{ system: "phone", value: "1" }];
      }),
    );
  const there = async () => (await ok(world.view.individuals.search({ name: "Diaz" }))).data;
  const goOn = async (times = 4) => {
    for (let nth = 0; nth < times; nth++) {
      world.pass(day);
      await tablet.client.sync();
    }
  };

  it("registers somebody once, and a person is told as what", async () => {
    const { reference } = await register();
    await goOn();
    expect(await there()).toHaveLength(1);
    expect(await tablet.client.parked()).toMatchObject([
      {
        reference,
        reason: "duplicate",
        existing: "Individual/urn:their:id|T1",
        detail: expect.stringContaining("Individual/urn:their:id|T1"),
        theirs: { identifier: [{ value: "T1" }] },
      },
    ]);
  });

  it("registers somebody once who was edited meanwhile, and since", async () => {
    const { reference } = await register();
    answered = async (response) => {
      await addPhone(reference);
      return response;
    };
    await goOn(1);
    expect(tablet.client.status.current).toMatchObject({ parked: 1 });
    await ok(
      tablet.client.individuals.update(reference, (draft) => {
        draft.birthDate = "1990-01-01";
      }),
    );
    await goOn();
    expect([posts, tablet.client.status.current.parked]).toEqual([1, 1]);
    const [parked] = await tablet.client.parked();
    expect(parked?.ours).toMatchObject({ birthDate: "1990-01-01", telecom: [{ value: "1" }] });
  });

  it("goes on as that record where a person says so", async () => {
    const { reference } = await register();
    await run(tablet, 2);
    await addPhone(reference);
    const [parked] = await tablet.client.parked();
    await ok(
      tablet.client.resolve(reference, { kind: "adopt", revision: parked?.revision ?? "", choices: {} }),
    );
    await run(tablet, 2);
    expect(tablet.client.status.current).toMatchObject(arrived);
    expect(await there()).toMatchObject([{ identifier: [{ value: "T1" }], telecom: [{ value: "1" }] }]);
    const { data } = await ok(tablet.client.individuals.search({ name: "Diaz" }));
    expect(data).toHaveLength(1);
  });

  it("is sent a record again where a person says so", async () => {
    const { reference } = await register();
    await run(tablet, 2);
    await ok(tablet.client.resolve(reference, { kind: "retry" }));
    await run(tablet, 2);
    expect(posts).toBe(2);
  });

  it("is not sent a record again for having archived the one that it made of it", async () => {
    await register();
    await goOn();
    await ok(world.view.individuals.patch("urn:their:id|T1", { active: false }, { ifMatch: "*" }));
    await goOn(12);
    expect([posts, tablet.client.status.current.parked]).toEqual([1, 1]);
  });

  it("is not sent a record again for naming one that it does not list", async () => {
    answered = async (response) => {
      const body = { ...JSON.parse(await response.text()), identifier: [{ system, value: "NOBODY" }] };
      return Response.json(body, { status: 201 });
    };
    await register();
    await goOn();
    expect([posts, tablet.client.status.current.parked]).toEqual([1, 1]);
  });

  it("is not sent a record again for naming none", async () => {
    answered = async (response) => {
      const { identifier: _, ...body } = JSON.parse(await response.text());
      return Response.json(body, { status: 201 });
    };
    const { reference } = await register();
    await goOn();
    expect(posts).toBe(1);
    expect(await tablet.client.parked()).toMatchObject([{ reason: "duplicate", theirs: null }]);
    await ok(tablet.client.resolve(reference, { kind: "discard" }));
    await goOn(1);
    expect(tablet.client.status.current).toMatchObject(arrived);
  });

  it("has arrived where it is there under its own identifier too", async () => {
    const network =
      (send: Fetch): Fetch =>
      async (url, init) => {
        const response = await plain(send)(url, init);
        if (init.method !== "POST" || !url.endsWith("/Individual")) return response;
        posts += 1;
        const { type, meta } = JSON.parse(await response.text());
        return Response.json({ type, meta }, { status: 201 });
      };
    tablet = world.device("b", { network });
    await ok(tablet.client.signIn(credentials));
    await register();
    await run(tablet, 1);
    expect([posts, tablet.client.status.current]).toMatchObject([1, arrived]);
  });

  it("is sent a record again after the answer of something in between", async () => {
    answered = async () => Response.json({ type: "Individual", identifier: [{ system, value: "X" }] });
    await register();
    await goOn(1);
    expect(tablet.client.status.current).toMatchObject({ parked: 0, sending: 1 });
    await goOn(1);
    expect(posts).toBeGreaterThan(1);
  });

  it("enrolls somebody once, as what a person can adopt", async () => {
    const { reference } = await ok(
      tablet.client.memberships.create({
        program: { reference: program },
        beneficiary: { reference: ana },
        status: "enrolled",
      }),
    );
    await goOn(1);
    const [parked] = await tablet.client.parked();
    expect(parked).toMatchObject({
      reference,
      reason: "duplicate",
      theirs: { identifier: [{ value: "T1" }] },
    });
    await ok(
      tablet.client.resolve(reference, { kind: "adopt", revision: parked?.revision ?? "", choices: {} }),
    );
    await goOn(2);
    expect(tablet.client.status.current).toMatchObject(arrived);
    expect([posts, (await ok(world.view.memberships.search())).data.length]).toEqual([1, 1]);
  });
});
