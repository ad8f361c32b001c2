import { beforeEach, describe, expect, it } from "vitest";
import { run, tabletOf } from "./support/files.ts";
import { answer, ok, personOf, refusal, settled, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, type Device, type World } from "./support/world.ts";

const cut = () => Promise.reject(new TypeError("cut"));
const reference = (value: string) => `Individual/${system}|${value}`;

describe.each(["full", "plain"])("a number that is another person's by now, at a %s server", (mode) => {
  let world: World;
  let tablet: Device;
  let isCut: boolean;
  /** What answers when a record is fetched. */
  let instead: (() => Promise<Response>) | null;

  const born = (value: string, birthDate: string) =>
    ok(
      tablet.client.individuals.update(reference(value), (draft) => {
        draft.birthDate = birthDate;
      }),
    );
  /** The office gives a record another number. */
  const give = (from: string, to: string) => {
    const identifier = [{ system, value: to }];
    return ok(world.view.individuals.patch(`${system}|${from}`, { identifier }, { ifMatch: "*" }));
  };
  const bea = personOf("N1", { family: "Bello", given: "Bea" });
  const told = async () => {
    const { data } = await ok(world.view.individuals.search());
    return Object.fromEntries(data.map(({ name, birthDate }) => [name.given, birthDate]));
  };

  beforeEach(async () => {
    world = await createWorld();
    isCut = false;
    instead = null;
    await ok(world.view.individuals.create(personOf("N1", { family: "Cruz", given: "Ana" })));
    await ok(world.view.individuals.create(personOf("N2", { family: "Diaz", given: "Dan" })));
    tablet = await tabletOf(world, "a", {
      network: (send) => {
        const reach = mode === "plain" ? plain(send) : send;
        return (url, init) => {
          if (isCut && init.method === "PATCH") return cut();
          return init.method === "GET" && url.includes("/Individual/")
            ? (instead?.() ?? reach(url, init))
            : reach(url, init);
        };
      },
    });
  });

  const outcome = mode === "full" ? { Ana: "1990-05-05" } : { Ana: undefined };
  const left = mode === "full" ? { pending: 0, parked: 0 } : { parked: 1 };

  it("takes no edit of the former one to a new record of the same version", async () => {
    await born("N1", "1990-05-05");
    await give("N1", "N9");
    await ok(world.view.individuals.create(bea));
    await run(tablet, 2);
    expect(await told()).toMatchObject({ ...outcome, Bea: undefined });
    expect(tablet.client.status.current).toMatchObject(left);
  });

  it("takes none to a record of another version either", async () => {
    await born("N1", "1990-05-05");
    await give("N1", "N9");
    await give("N2", "N1");
    await run(tablet, 2);
    expect(await told()).toMatchObject({ ...outcome, Dan: undefined });
  });

  it("takes none that was sent before and never arrived", async () => {
    await born("N1", "1990-05-05");
    isCut = true;
    await run(tablet, 1);
    isCut = false;
    await give("N1", "N9");
    await ok(world.view.individuals.create(bea));
    await run(tablet, 2);
    expect(await told()).toMatchObject({ ...outcome, Bea: undefined });
  });

  const forbidden = async () => answer(403, refusal(403, "authorization").body, "application/problem+json");
  it.each([
    ["is lost", cut],
    ["meets the page of a portal", async () => answer(200, "<html>Pay.</html>", "text/html")],
    ["meets a server that fails", async () => answer(500)],
    ["meets one that serves nobody", async () => answer(503)],
    ["is refused", forbidden],
  ])("takes none where the look at whose it is %s", async (_, meet) => {
    await born("N1", "1990-05-05");
    await give("N1", "N9");
    await ok(world.view.individuals.create(bea));
    instead = meet;
    await run(tablet, 1);
    instead = null;
    await run(tablet, 2);
    expect(await told()).toMatchObject({ ...outcome, Bea: undefined });
    expect(tablet.client.status.current).toMatchObject(left);
  });

  it("keeps apart two edits of people who exchanged their numbers", async () => {
    await born("N1", "1991-01-01");
    await born("N2", "1992-02-02");
    await give("N1", "T");
    await give("N2", "N1");
    await give("T", "N2");
    await run(tablet, 2);
    const arrived = { Ana: "1991-01-01", Dan: "1992-02-02" };
    expect(await told()).toEqual(mode === "full" ? arrived : { Ana: undefined, Dan: undefined });
    expect(tablet.client.status.current).toMatchObject({ pending: 0, parked: mode === "full" ? 0 : 2 });
  });

  it("takes none to a sister, born on another day, whose number the office had mixed up with hers", async () => {
    const eva = { ...personOf("N3", { family: "Cruz", given: "Eva" }), birthDate: "1995-05-05" };
    await ok(world.view.individuals.create(eva));
    await ok(world.view.individuals.patch(`${system}|N1`, { birthDate: "1990-01-01" }, { ifMatch: "*" }));
    await run(tablet, 1);
    await ok(
      tablet.client.individuals.update(reference("N1"), (draft) => {
        draft.telecom = [{ system: "phone", value: "of Ana" }];
      }),
    );
    await give("N1", "T");
    await give("N3", "N1");
    await give("T", "N3");
    await run(tablet, 2);
    const { data } = await ok(world.view.individuals.search());
    const phones = Object.fromEntries(data.map(({ name, telecom }) => [name.given, telecom?.[0]?.value]));
    expect(phones).toMatchObject({ Ana: mode === "full" ? "of Ana" : undefined, Eva: undefined });
    expect(tablet.client.status.current).toMatchObject(left);
  });
});

it.each([
  ["alone", ["N1"]],
  ["in a bundle", ["N1", "N2"]],
])(
  "a number that is handed over between the refusal of a change and the look at why takes no edit along, sent %s",
  async (_, people) => {
    const world = await createWorld();
    const patch = (value: string, change: object) =>
      ok(world.view.individuals.patch(`${system}|${value}`, change, { ifMatch: "*" }));
    let handOver = async () => {};
    const tablet = world.device("a", {
      network: (send) => async (url, init) => {
        const reply = await send(url, init);
        if (init.method !== "GET") await handOver();
        return reply;
      },
    });
    for (const value of people)
      await ok(world.view.individuals.create(personOf(value, { family: "Cruz", given: value })));
    await ok(tablet.client.signIn(credentials));
    await tablet.client.sync();
    for (const value of people) {
      await ok(
        tablet.client.individuals.update(reference(value), (draft) => {
          draft.telecom = [{ system: "phone", value: "1" }];
        }),
      );
      await patch(value, { birthDate: "1990-05-05" });
    }
    handOver = async () => {
      handOver = async () => {};
      await patch("N1", { identifier: [{ system, value: "N9" }] });
      const telecom = [{ system: "phone" as const, value: "1" }];
      await ok(
        world.view.individuals.create({
          ...personOf("N1", { family: "Cruz", given: "Bea" }),
          telecom,
        } as never),
      );
      await patch("N1", { active: true });
    };
    await run(tablet, 3);
    expect(tablet.client.status.current).toMatchObject(settled);
    expect((await ok(world.view.individuals.read(`${system}|N9`))).telecom).toMatchObject([{ value: "1" }]);
  },
);
