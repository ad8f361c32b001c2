import { benchColdStart } from "./sync-cold.ts";
import { benchEdits } from "./sync-edits.ts";
import { benchFirstSync } from "./sync-first.ts";
import { benchHeap } from "./sync-heap.ts";
import { installPeers } from "./sync-peers.ts";
import { profileWorker } from "./sync-profile.ts";
import { benchPush } from "./sync-push.ts";
import { benchSize } from "./sync-size.ts";
import { openStage, type Service, type Stage } from "./sync-stage.ts";
import { benchTraffic } from "./sync-traffic.ts";

export interface SyncBenchOptions {
  /** Of the server that is synced from. */
  readonly records: number;
  readonly rounds: number;
  /** A part of a measurement's name. Default: all. */
  readonly only?: string;
  /** Folder for CPU profiles of the server and of the engine's worker; then nothing else is measured. */
  readonly profile?: string;
}

interface Bench {
  readonly stage: Stage;
  readonly records: number;
  readonly rounds: number;
  /** The server with so many records, started when it is asked for. */
  service(): Promise<Service>;
}

/** Measures the sync engine in a Chromium with its profile on disk, against a real server, beside peers. */
export async function benchSync({ records, rounds, only = "", profile }: SyncBenchOptions): Promise<void> {
  const names = Object.keys(measurements);
  const wanted = names.filter((name) => name.includes(only));
  if (wanted.length === 0) {
    process.stderr.write(`There is no measurement ${only}. There are: ${names.join(", ")}.\n`);
    process.exit(1);
  }
  const peers = !profile && wanted.some((name) => compared.includes(name)) && installPeers();
  const stage = await openStage(profile, peers);
  let service: Promise<Service> | undefined;
  const bench: Bench = { stage, records, rounds, service: () => (service ??= stage.serve(records)) };
  try {
    if (profile) return await profileWorker({ stage, service: await bench.service(), folder: profile });
    for (const name of wanted) await measurements[name]?.(bench);
  } finally {
    await stage.close();
  }
}

/** Those with peers that have to be installed. */
const compared: readonly string[] = ["size", "first", "heap", "cold"];

const measurements: Readonly<Record<string, (bench: Bench) => Promise<void>>> = {
  size: ({ stage }) => benchSize(stage.pages),
  first: async (bench) => benchFirstSync({ ...bench, service: await bench.service() }),
  heap: async (bench) => benchHeap({ ...bench, service: await bench.service() }),
  cold: async (bench) => benchColdStart({ ...bench, service: await bench.service() }),
  edits: async (bench) => benchEdits({ ...bench, service: await smallService(bench) }),
  traffic: async ({ stage }) => benchTraffic({ stage, service: await stage.serve(1_000) }),
  push: benchPush,
};

/** Edits cost the same however many records there are; reading more of them first would only take longer. */
function smallService({ records, service, stage }: Bench): Promise<Service> {
  return records <= 10_000 ? service() : stage.serve(10_000);
}
