import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";
import type { NameOf } from "../model/conflict-text.ts";
import { nameText } from "../model/person-text.ts";
import { texts } from "../texts.ts";

/** The names of records by reference, as far as they are on this device; until that is known, that they are being looked up. */
export function useNames(references: readonly string[]): NameOf {
  const client = useFieldClient();
  const [names, setNames] = useState<ReadonlyMap<string, string> | null>(null);
  const wanted = JSON.stringify(references);
  useEffect(() => {
    let current = true;
    const nameFor = async (reference: string): Promise<readonly [string, string] | null> => {
      if (reference.startsWith("Individual/")) {
        const held = await client.individuals.read(reference);
        return held.ok ? [reference, nameText(held.value.record.name)] : null;
      }
      const records = reference.startsWith("Group/") ? client.groups : client.programs;
      const held = await records.read(reference);
      return held.ok ? [reference, held.value.record.name] : null;
    };
    const refresh = async () => {
      const found = await Promise.all((JSON.parse(wanted) as string[]).map(nameFor));
      if (current) setNames(new Map(found.filter((pair) => pair !== null)));
    };
    void refresh();
    const stop = client.changed.subscribe(() => void refresh());
    return () => {
      current = false;
      stop();
    };
  }, [client, wanted]);
  return (reference) => (names ? names.get(reference) : texts.app.loading);
}
