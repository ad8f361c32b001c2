import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";
import { isActiveMember } from "../model/household.ts";

/** The names of the households that each person lives in on a day, as far as they are on this device. */
export function useHouseholdNames(
  people: readonly string[],
  today: string,
): (person: string) => readonly string[] {
  const client = useFieldClient();
  const [names, setNames] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const wanted = JSON.stringify(people);
  useEffect(() => {
    let current = true;
    const namesFor = async (person: string): Promise<readonly [string, readonly string[]]> => {
      const groups = await client.groups.search({ member: person, limit: "20" });
      const livedIn = (groups.ok ? groups.value.data : []).filter(({ record }) =>
        record.member?.some((item) => item.entity.reference === person && isActiveMember(item, today)),
      );
      return [person, livedIn.map(({ record }) => record.name)];
    };
    const refresh = async () => {
      const found = await Promise.all((JSON.parse(wanted) as string[]).map(namesFor));
      if (current) setNames(new Map(found));
    };
    void refresh();
    const stop = client.changed.subscribe(() => void refresh());
    return () => {
      current = false;
      stop();
    };
  }, [client, wanted, today]);
  return (person) => names.get(person) ?? [];
}
