import type { RegistryConfig } from "@fieldroll/core";
import type { Doors, Verdict } from "./doors.ts";

/** A rule, and a door by which it might be passed. */
export interface Case {
  readonly rule: string;
  readonly door: string;
  readonly violating: (doors: Doors) => Promise<Verdict>;
  readonly sound: (doors: Doors) => Promise<Verdict>;
  /** `<field> <code>`; of an import and of version 1, which tell no codes, its words. */
  readonly faults: readonly string[] | RegExp;
  readonly policies?: RegistryConfig["policies"];
}

export function wordsAt([first = ""]: readonly string[]): RegExp {
  return new RegExp(`^${first.split(" ")[0]}[/:]`);
}

export async function extIdOf({ store }: Doors, reference: string): Promise<string> {
  const [at] = await store.resolve([reference]);
  return at?.key ?? "";
}

export const ref = (id: string) => ({ reference: `Individual/urn:p|${id}` });
export const id = (n: number) => `0190a000-0000-7000-8000-00000000000${n}`;
