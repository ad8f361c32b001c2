import { type Outcome, success } from "@fieldroll/core";
import type { FieldClient } from "@fieldroll/sync";
import { useFieldClient } from "@fieldroll/sync/react";
import { useEffect, useState } from "react";

/** A record made here that was never sent, and what was made with it and would be left behind without it. */
export interface Registration {
  readonly reference: string;
  /** Of a household. */
  readonly people: readonly string[];
  readonly enrollments: readonly string[];
}

/** What goes with a record that is given up; `null` while that is being looked up. */
export function useRegistration(reference: string, isNew: boolean): Registration | null {
  const client = useFieldClient();
  const [found, setFound] = useState<Registration | null>(null);
  useEffect(() => {
    let isOver = false;
    const look = isNew ? registrationOf(client, reference) : { reference, people: [], enrollments: [] };
    void Promise.resolve(look).then((registration) => {
      if (!isOver) setFound(registration);
    });
    return () => {
      isOver = true;
    };
  }, [client, reference, isNew]);
  return found;
}

async function registrationOf(client: FieldClient, reference: string): Promise<Registration> {
  const unsent = await client.unsent();
  const made = new Set(
    unsent.flatMap((each) => (each.isNew && each.state === "pending" ? each.reference : [])),
  );
  const group = reference.startsWith("Group/") ? await client.groups.read(reference) : undefined;
  const members = group?.ok ? (group.value.record.member ?? []).map(({ entity }) => entity.reference) : [];
  const people = members.filter((member) => made.has(member));
  const enrollments: string[] = [];
  for (const beneficiary of [reference, ...people]) {
    const search = await client.memberships.search({ beneficiary, limit: "100" });
    if (search.ok) enrollments.push(...search.value.data.map((held) => held.reference));
  }
  return { reference, people, enrollments: enrollments.filter((enrollment) => made.has(enrollment)) };
}

/**
 * Gives up a registration in the order in which its parts refer to each other.
 *
 * @returns how many people stay, because something else refers to them; or what keeps the record itself from being given up
 */
export async function giveUpAll(
  client: FieldClient,
  { reference, people, enrollments }: Registration,
): Promise<Outcome<number>> {
  const discard = { kind: "discard" } as const;
  for (const enrollment of enrollments) {
    const outcome = await client.resolve(enrollment, discard);
    if (!outcome.ok) return outcome;
  }
  const outcome = await client.resolve(reference, discard);
  if (!outcome.ok) return outcome;
  let stay = 0;
  for (const person of people) if (!(await client.resolve(person, discard)).ok) stay++;
  return success(stay);
}
