import { attack } from "./attacks.ts";
import type { HostileClient } from "./clients.ts";
import { createLedger } from "./ledger.ts";
import { createRandom } from "./random.ts";

/** What a process of attackers is told at its beginning. It sends back every answer that it had. */
export interface Siege {
  readonly api: string;
  readonly origin: string;
  readonly tokens: Readonly<Record<HostileClient, string>>;
  readonly people: readonly string[];
  readonly groups: readonly string[];
  readonly attackers: number;
  readonly seconds: number;
  readonly seed: number;
  readonly only?: string;
}

process.once("message", async (siege: Siege) => {
  const { attackers, seconds, seed, only, ...rest } = siege;
  const end = performance.now() + seconds * 1000;
  const ledger = createLedger();
  const besieger = { ...rest, server: rest, ledger };
  await Promise.all(
    Array.from({ length: attackers }, (_, nth) =>
      attack({ ...besieger, random: createRandom(seed + nth) }, () => performance.now() < end, only),
    ),
  );
  process.send?.(ledger.answers(), () => process.disconnect());
});
