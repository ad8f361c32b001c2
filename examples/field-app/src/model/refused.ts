import { isJsonObject, type JsonObject } from "@fieldroll/core";
import type { ParkedRecord } from "@fieldroll/sync";
import { texts } from "../texts.ts";
import { nationalIdSystem } from "./person-form.ts";

/** What may come of bringing a duplicate together with the registered record, in sentences: only what does here. */
export function adoptText(found: { readonly differs: boolean; readonly asks: boolean }): string {
  const { adoptIntro, adoptAdds, adoptAddsAndAsks } = texts.parked;
  if (!found.differs) return adoptIntro;
  return `${adoptIntro} ${found.asks ? adoptAddsAndAsks : adoptAdds}`;
}

/** What may help with a record that was refused. */
export interface Helps {
  /** Whether correcting it may. */
  readonly edit: boolean;
  /** Whether sending it again as it is may: the office may have put right what is there. */
  readonly retry: boolean;
  /** What has to be done before, where that is not said yet. */
  readonly first?: string;
}

/**
 * What may help where a record is not the registered one that it was compared with. A household or person is in a program once: there is
 * no other enrollment that it could be. A person is corrected by the identity number; other identifiers nobody types here.
 */
export function helpsApart({ type, ours }: Pick<ParkedRecord, "type" | "ours">): Helps | null {
  if (type === "ProgramMembership") return null;
  const isNumbered = type === "Individual" && hasNumber(ours);
  const first = isNumbered ? texts.parked.apartNumber : texts.parked.apartOffice;
  return { edit: isNumbered, retry: true, first };
}

function hasNumber({ identifier }: JsonObject): boolean {
  return (
    Array.isArray(identifier) &&
    identifier.some((one) => isJsonObject(one) && one.system === nationalIdSystem)
  );
}
