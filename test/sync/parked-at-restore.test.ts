import { unwrap } from "@fieldroll/core";
import { expect, it } from "vitest";
import { ok } from "./support/people.ts";
import { createWorld, credentials, restoredFrom } from "./support/world.ts";

const system = "urn:test:national";
const ana = { system, value: "ANA" };
const reference = `Individual/${system}|ANA`;

/** After a restore versions are counted anew: of what waits for a person, a lower number than the device had seen may be a newer copy. */
it.each(["theirs", "discard"] as const)(
  "what waits since a restore is shown with what the server says by now, also below the version that was lost: %s",
  async (decision) => {
    const world = await createWorld();
    const { individuals } = world.view;
    const name = { family: "Cruz", given: "Ana" };
    await ok(individuals.create({ type: "Individual", identifier: [ana], name }));
    const backup = structuredClone(world.medium);
    for (const birthDate of ["1980-01-01", "1980-01-02", "1980-01-03"])
      await ok(individuals.patch(ana, { birthDate }, { ifMatch: "*" }));
    const { client } = world.device("a");
    await ok(client.signIn(credentials));
    await client.sync();
    await ok(
      client.individuals.update(reference, (draft) => {
        draft.name.family = "Reyes";
      }),
    );
    const restored = await restoredFrom(backup);
    world.moveTo(restored);
    const rename = (family: string) =>
      ok(restored.view.individuals.patch(ana, { name: { family } }, { ifMatch: "*" }));
    await rename("Santos");
    await ok(client.signIn(credentials));
    await client.sync();
    expect((await client.parked())[0]?.theirs).toMatchObject({ name: { family: "Santos" } });
    await rename("Lim");
    await client.sync();
    const [parked] = await client.parked();
    expect(parked).toMatchObject({ reason: "conflict", theirs: { name: { family: "Lim" } } });

    const { revision = "" } = parked ?? {};
    const choices = { "/name/family": "theirs" } as const;
    const theirs = { kind: "choose", revision, choices } as const;
    await ok(client.resolve(reference, decision === "theirs" ? theirs : { kind: "discard" }));
    await client.sync();
    const there = unwrap(await restored.view.individuals.read(ana));
    expect(await ok(client.individuals.read(reference))).toMatchObject({ state: "synced", record: there });
  },
);
