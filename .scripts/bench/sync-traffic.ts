import { findingText } from "./stores-figures.ts";
import { openLine } from "./sync-line.ts";
import type { Service, Stage } from "./sync-stage.ts";
import type { EngineMeasures } from "./sync-task.ts";

/** The least that says what was edited. */
const minimalPatch = JSON.stringify({ name: { middle: "Middle" } });

/** What a sync costs on the wire when nothing changed, and when one field of one record did. */
export async function benchTraffic({ stage, service }: { stage: Stage; service: Service }): Promise<void> {
  const line = await openLine(service.port);
  const tab = await stage.open<EngineMeasures>("engine", line.port);
  await tab.call("start", "traffic");
  await tab.call("sync");
  line.traffic();
  await tab.call("sync");
  const { requests, up, down, browsers } = line.traffic();
  process.stdout.write(
    findingText({
      name: "sync when nothing changed",
      value: `${requests} request${requests === 1 ? "" : "s"}, ${up} bytes up and ${down} down`,
      goal: "1, ≤ 1000 each way",
      figures: `${browsers} bytes are headers that the browser adds, ${service.token.length} the token`,
      reached: requests === 1 && Math.max(up, down) <= 1_000,
    }),
  );
  await tab.call("edit", { from: 7, count: 1, poisonedEach: 0, text: "Middle" });
  const { unsent } = await tab.call("sync");
  if (unsent > 0) throw new Error("The edit was not sent.");
  const sent = line.traffic();
  await tab.close();
  line.close();
  const ratio = sent.bodies / minimalPatch.length;
  process.stdout.write(
    findingText({
      name: "body sent for an edit of one field",
      value: `${sent.bodies} bytes, ${ratio.toFixed(2)} of the minimal merge patch`,
      goal: "≤ 2",
      figures: `${sent.requests} requests, ${sent.up} bytes up and ${sent.down} down in all, the feed's page included`,
      reached: ratio <= 2,
    }),
  );
}
