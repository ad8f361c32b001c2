import { findingText, quantile } from "./stores-figures.ts";
import type { RawMeasures } from "./sync-page-raw.ts";
import type { Service, Stage } from "./sync-stage.ts";
import type { EngineMeasures } from "./sync-task.ts";

const edits = 300;

/** How long a person waits until an edit is safe: nothing else going on, and while a first sync goes on. */
export async function benchEdits(bench: {
  readonly stage: Stage;
  readonly service: Service;
  readonly rounds: number;
}): Promise<void> {
  const { stage, service } = bench;
  const [idle, raw, pulling]: [number[], number[], number[]] = [[], [], []];
  for (let round = 0; round < Math.min(bench.rounds, 2); round++) {
    const at = `edits-${round}`;
    const tab = await stage.open<EngineMeasures>("engine", service.port, { at });
    await tab.call("start", at);
    await tab.call("edit", { from: 0, count: 30, poisonedEach: 0, text: "warm" });
    idle.push(...(await tab.call("edit", { from: 30, count: edits, poisonedEach: 0, text: "M" })));
    await tab.close();
    const byHand = `edits-raw-${round}`;
    const limit = await stage.open<RawMeasures>("raw", service.port, { at: byHand });
    await limit.call("firstSync", { name: byHand, token: service.token });
    raw.push(...(await limit.call("edit", byHand, edits)));
    await limit.close();
    const busy = `edits-pull-${round}`;
    const other = await stage.open<EngineMeasures>("engine", service.port, { at: busy });
    pulling.push(...(await other.call("editDuringPull", busy)));
    await other.close();
  }
  const p99 = quantile(idle, 0.99);
  process.stdout.write(
    findingText({
      name: "durable edit from the page through the worker",
      value: `p99 ${p99.toFixed(1)} ms`,
      goal: "≤ 16 ms",
      figures: `p50 ${quantile(idle, 0.5).toFixed(1)} ms; IndexedDB by hand, strict, in the page: ${times(raw)}`,
      reached: p99 <= 16,
    }),
  );
  const busy = quantile(pulling, 0.99);
  process.stdout.write(
    findingText({
      name: "the same during a first sync, the edits being sent between its pages",
      value: `p99 ${busy.toFixed(1)} ms`,
      goal: "≤ 100 ms",
      figures: `p50 ${quantile(pulling, 0.5).toFixed(1)} ms of ${pulling.length} edits`,
      reached: busy <= 100,
    }),
  );
}

function times(values: readonly number[]): string {
  return `p50 ${quantile(values, 0.5).toFixed(1)} ms, p99 ${quantile(values, 0.99).toFixed(1)} ms`;
}
