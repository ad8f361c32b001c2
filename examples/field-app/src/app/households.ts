import type { Group } from "@fieldroll/core";
import type { FieldClient, Held } from "@fieldroll/sync";
import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";
import { isActiveMember } from "../model/household.ts";

/** A person with the households that she lives in. */
type Living = readonly [person: string, households: readonly Held<Group>[]];

/** The names of the households that each person lives in on a day, as far as they are on this device. */
export function useHouseholdNames(
  people: readonly string[],
  today: string,
): (person: string) => readonly string[] {
  const found = new Map(useLiving(people, today));
  return (person) => found.get(person)?.map(({ record }) => record.name) ?? [];
}

/**
 * Where people live now that their household is not theirs any more, and who lives nowhere else.
 *
 * @param except the reference of that household
 * @returns `null` while that is looked for
 */
export function useHouseholdsNow(
  people: readonly string[],
  { today, except }: { readonly today: string; readonly except: string },
): { readonly households: readonly Held<Group>[]; readonly without: readonly string[] } | null {
  const found = useLiving(people, today);
  if (!found) return null;
  const isOther = ({ reference, record }: Held<Group>) => reference !== except && record.active;
  const others = found.flatMap(([, households]) => households.filter(isOther));
  return {
    households: [...new Map(others.map((held) => [held.key, held])).values()],
    without: found.flatMap(([person, households]) => (households.some(isOther) ? [] : person)),
  };
}

function useLiving(people: readonly string[], today: string): readonly Living[] | null {
  const client = useFieldClient();
  const [living, setLiving] = useState<readonly Living[] | null>(null);
  const wanted = JSON.stringify(people);
  useEffect(() => {
    let current = true;
    const refresh = async () => {
      const found = await Promise.all(
        (JSON.parse(wanted) as string[]).map((person) => livingOf(client, person, today)),
      );
      if (current) setLiving(found);
    };
    void refresh();
    const stop = client.changed.subscribe(() => void refresh());
    return () => {
      current = false;
      stop();
    };
  }, [client, wanted, today]);
  return living;
}

async function livingOf(client: FieldClient, person: string, today: string): Promise<Living> {
  const groups = await client.groups.search({ member: person, limit: "20" });
  const livedIn = (groups.ok ? groups.value.data : []).filter(({ record }) =>
    record.member?.some((item) => item.entity.reference === person && isActiveMember(item, today)),
  );
  return [person, livedIn];
}
