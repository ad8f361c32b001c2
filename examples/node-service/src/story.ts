import { type RegistryView, unwrap } from "@fieldroll/core";
import { correct, findHouseholds, registerHousehold, systems } from "./intake.ts";

const household = {
  number: "H-1001",
  name: "Reyes family",
  persons: [
    { number: "P-1", family: "Reyes", given: "Ana" },
    { number: "P-2", family: "Reyes", given: "Luis" },
  ],
};

/** Registers a household, enrolls it, finds it, and has two clerks correct the same person at the same time. */
export async function tellStory(registry: RegistryView, print: (line: string) => void): Promise<void> {
  const program = { system: systems.program, value: "cash-2026" };
  const known = await registry.programs.read(program);
  if (!known.ok) {
    const body = { type: "Program", identifier: [program], name: "Cash for families", targetType: "group" };
    unwrap(await registry.programs.create(body));
  }

  const registered = await registerHousehold(registry, household, program.value);
  if (registered.ok) print(`registered ${registered.value.map(({ reference }) => reference).join(", ")}`);
  // All of it or nothing was registered: where one name of it is taken, an earlier start did it.
  else if (registered.problem.kind === "duplicate") print(`already registered: ${household.name}`);
  else print(`not registered: ${registered.problem.kind}: ${registered.problem.detail}`);

  const { data } = unwrap(await findHouseholds(registry, "reyes"));
  for (const { name, quantity } of data) print(`found ${name}, ${quantity} members`);

  await haveTwoClerks(registry, print);
}

async function haveTwoClerks(registry: RegistryView, print: (line: string) => void): Promise<void> {
  const seen = unwrap(await registry.individuals.read({ system: systems.person, value: "P-1" }));
  // Both have this version on their screens, and both send it as the one they mean to replace.
  const birthDate = seen.birthDate === "1988-04-02" ? "1988-04-03" : "1988-04-02";
  const first = unwrap(await correct(registry, seen, { birthDate }));
  print(`first clerk: ${first.saved ? `saved version ${first.record.meta?.versionId}` : "asked"}`);

  const family = seen.name.family === "Reyes" ? "Reyes Cruz" : "Reyes";
  const second = unwrap(await correct(registry, seen, { name: { family } }));
  if (second.saved) {
    const { record, merged } = second;
    print(`second clerk: ${merged ? "merged" : "saved"}, ${record.name.text} born ${record.birthDate}`);
  }

  const third = unwrap(await correct(registry, seen, { birthDate: "1990-01-01" }));
  if (third.saved) return;
  for (const { path, ours, theirs } of third.conflicts) {
    print(`third clerk: ${path} is ${JSON.stringify(theirs)} by now, not ${JSON.stringify(ours)}; ask`);
  }
}
