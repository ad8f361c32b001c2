import { type Finding, verifyRegistry } from "@fieldroll/core";
import type { World } from "../contract/world.ts";

/** Throws where anything that the registry keeps does not agree with itself: the fault of whatever wrote it. */
export async function checkSound({ store, registry, clock }: World): Promise<void> {
  const found: Finding[] = [];
  const { extensions, namespace } = registry.facts;
  const config = { store, extensions, namespace, clock: () => clock.now, newId: () => "" };
  await verifyRegistry(config, { tell: (finding) => found.push(finding) });
  if (found.length > 0) throw new Error(`The store is not sound: ${JSON.stringify(found)}`);
}
