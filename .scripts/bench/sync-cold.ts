import { findingText, median } from "./stores-figures.ts";
import { firstSync } from "./sync-first.ts";
import type { PageName, Service, Stage } from "./sync-stage.ts";
import type { EngineMeasures, ListMeasures } from "./sync-task.ts";

const pending = 200;

/** From a browser just started to the first 50 by name; the engine with edits that wait to be sent. */
export async function benchColdStart(bench: {
  readonly stage: Stage;
  readonly service: Service;
  readonly records: number;
  readonly rounds: number;
}): Promise<void> {
  const { stage, service, records } = bench;
  const sides = stage.pages.filter((name) => name !== "replication");
  for (const side of sides) await firstSync(bench, side, `cold-${side}`);
  const tab = await stage.open<EngineMeasures>("engine", service.port, { at: "cold-engine" });
  await tab.call("reopen", "cold-engine");
  await tab.call("edit", { from: 0, count: pending, poisonedEach: 0, text: "Cold" });
  await tab.call("stop");
  await tab.close();
  const times = new Map<PageName, number[]>(sides.map((side) => [side, []]));
  for (let round = 0; round < Math.min(bench.rounds, 3); round++) {
    for (const side of sides) {
      await stage.restartBrowser();
      const name = `cold-${side}`;
      const opened = await stage.open<ListMeasures>(side, service.port, { at: name, listOf: name });
      times.get(side)?.push(await opened.call("listed"));
      await opened.close();
    }
  }
  const time = (side: PageName) => median(times.get(side) ?? []);
  const figures = sides.slice(1).map((side) => `${side} ${time(side).toFixed(0)} ms`);
  process.stdout.write(
    findingText({
      name: `cold start to the first list, ${records} records and ${pending} pending`,
      value: `${time("engine").toFixed(0)} ms`,
      goal: "≤ 150 ms",
      figures: `${figures.join(", ")}; pouchdb by the id, and none of them with pending edits`,
      reached: time("engine") <= 150,
    }),
  );
}
