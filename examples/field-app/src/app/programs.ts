import type { Program } from "@fieldroll/core";
import type { Held } from "@fieldroll/sync";
import { useSearch } from "@fieldroll/sync/react";
import { noProgramsText } from "../model/first-sync-text.ts";
import { useUnfinished } from "./unfinished.ts";

/** What an empty offer of programs comes from, in words: none is on this device, or none is left. */
export function useNoProgramsText(otherwise: string): string {
  const any = useSearch("Program", { limit: "1" });
  const unfinished = useUnfinished();
  const none = any.state === "ready" && any.value.data.length === 0;
  return noProgramsText({ none, unfinished }, otherwise);
}

/**
 * The active programs made for a household or person that it is not in already; `undefined` while they are being read.
 * @param reference of the household or person.
 */
export function useOfferedPrograms(reference: string): readonly Held<Program>[] | undefined {
  const targetType = reference.startsWith("Group/") ? "group" : "individual";
  const programs = useSearch("Program", { status: "active", targetType, limit: "100" });
  const memberships = useSearch("ProgramMembership", { beneficiary: reference, limit: "100" });
  if (programs.state === "loading" || memberships.state === "loading") return undefined;
  if (programs.state === "failed") return [];
  const already = new Set(
    memberships.state === "ready" ? memberships.value.data.map((held) => held.record.program.reference) : [],
  );
  return programs.value.data.filter((held) => !already.has(held.reference));
}
