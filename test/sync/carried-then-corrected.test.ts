import { farmer } from "@fieldroll/core";
import { expect, it } from "vitest";
import { whileBusy } from "./support/guest.ts";
import { ok, system } from "./support/people.ts";
import { plain } from "./support/plain.ts";
import { createWorld, credentials, partner } from "./support/world.ts";

const registrant = {
  system: "urn:service:registrant",
  value: "01890a5d-ac96-774b-bcce-b302099a8057",
};
const taken = { system, value: "TAKEN" };

/** Once, the record that the other one had made counted as made by the request that was repeated, with all that this one said more. */
it.each([
  { server: "its own", inner: undefined },
  { server: "a plain", inner: plain },
])(
  "what is corrected after another tablet took it from a file arrives at $server server",
  async ({ inner }) => {
    const world = await createWorld();
    const is = { busy: false };
    const tablet = async (name: string) => {
      const { client } = world.device(name, { network: whileBusy(is, inner) });
      await ok(client.signIn(credentials));
      await client.sync();
      return client;
    };
    const office = { type: "Individual", name: { family: "Other" }, birthDate: "1950-01-01" };
    const number = { system, value: "OTHER" };
    await ok(world.view.individuals.create({ ...office, identifier: [number] }));
    const called = (...identifier: (typeof number)[]) =>
      ok(world.view.individuals.patch(`${system}|OTHER`, { identifier }, { ifMatch: "*" }));
    const [a, b] = [await tablet("a"), await tablet("b")];
    const born = { name: { family: "Cruz" }, birthDate: "1980-01-01" };
    const { reference } = await ok(a.individuals.create({ ...born, identifier: [registrant, taken] }));
    await called(number, taken);
    await a.sync();
    expect(await a.parked()).toMatchObject([{ reason: "duplicate" }]);
    const { file } = await ok(a.exportUnsent("correct horse battery"));
    await called(number);
    await ok(b.importUnsent(file, "correct horse battery"));
    await b.sync();
    for (const parked of await b.parked())
      await ok(b.resolve(parked.reference, { kind: "retry", revision: parked.revision }));
    await b.sync();
    await ok(
      a.individuals.update(reference, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    is.busy = true;
    await a.sync();
    is.busy = false;
    for (let run = 0; run < 3; run++) {
      world.pass(3_600_000);
      await a.sync();
    }
    const there = await ok(world.view.individuals.read(`${registrant.system}|${registrant.value}`));
    expect(there.name.family).toBe("Reyes");
    expect(a.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
  },
);

/** Once, that nothing was shown of what had been made counted as the refusal to make it. */
it("what a plain server has made, and shows nobody until it is consented to, is not refused", async () => {
  const world = await createWorld({ extensions: [farmer] });
  const { client } = world.device("a", { network: plain });
  await ok(client.signIn(partner));
  await client.sync();
  const extension = { farmer: { url: "urn:service:extension:farmer", farmSize: 1, farmSizeUnit: "ha" } };
  const { reference } = await ok(client.individuals.create({ name: { family: "Cruz" }, extension }));
  await client.sync();
  expect(client.status.current).toMatchObject({ pending: 0, sending: 0, parked: 0 });
  const [, address = ""] = reference.split("Individual/");
  expect(await ok(world.view.individuals.read(address, { extensions: "*" }))).toMatchObject({ extension });
});
