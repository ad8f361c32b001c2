import {
  type Conflict,
  failure,
  type Outcome,
  type Problem,
  type ResourceType,
  StoreError,
} from "@fieldroll/core";

/** The record is not the one that was looked at; nothing was stored. */
export const changedMeanwhile: Problem = {
  kind: "conflict",
  detail: "The record changed while it was being edited. Look at it again and repeat the edit.",
};

/** Another record has the name of the one that was looked at; nothing was stored. */
export const anotherByNow: Problem = {
  kind: "not-found",
  detail: "Another record has this identifier by now. Look for the one that you mean and repeat the edit.",
};

/** Another record has the name of this one, which has no other yet; nothing was stored. */
export const namelessNow =
  "Another record has this one's identifier by now, so it can't be edited yet. Sync first: then it shows what it is called, or waits for a decision.";

/** The session is another one than when the call began. */
export const overtaken: Problem = {
  kind: "invalid-state",
  detail: "Somebody else signed in or out on this device at the same moment; try again.",
};

/** Both the person and someone else changed these places; nothing was stored. */
export function conflictProblem(conflicts: readonly Conflict[]): Problem {
  const errors = conflicts.map(({ path }) => ({
    field: path,
    code: "conflict",
    message: "was changed by someone else since you began",
  }));
  const detail = "Someone else changed the same fields since you began. Look at the record again and choose.";
  return { kind: "conflict", detail, errors };
}

/** A reference that leads nowhere on this device. */
export function unknownReference(reference: string): Problem {
  return {
    kind: "not-found",
    detail: `${reference} is not on this device. It may not be pulled yet, or not be in what this device keeps.`,
  };
}

/** A reference to a record of another type than what it is given to. */
export function otherType(reference: string, found: ResourceType, wanted: ResourceType): Problem {
  const one = `${found === "Individual" ? "an" : "a"} ${found}`;
  const detail = `${reference} is ${one}, and no ${wanted}: give it to what reads and changes ${one}.`;
  return { kind: "bad-request", detail };
}

/**
 * Refuses a call that can't be meant, as plain JavaScript may make it.
 *
 * @param right whether what is given may be meant, by its name
 */
export function wrongCall(
  what: string,
  right: Readonly<Record<string, boolean>>,
  message: string,
): Problem | undefined {
  const fields = Object.keys(right).filter((name) => !right[name]);
  const errors = fields.map((field) => ({ field, code: "invalid_parameter", message }));
  const detail = `${what} ${fields.join(" and ")} ${message}.`;
  return fields.length > 0 ? { kind: "bad-request", detail, errors } : undefined;
}

/** Does what has to be written down, and turns a refusal of the store into a problem. */
export async function kept<T>(act: () => Promise<Outcome<T>>): Promise<Outcome<T>> {
  try {
    return await act();
  } catch (error) {
    return failure(storeProblem(error));
  }
}

/** What a refusal of the store means to a person; rethrows what is no refusal of a store. */
export function storeProblem(error: unknown): Problem {
  if (!(error instanceof StoreError)) throw error;
  return {
    kind: "unavailable",
    detail: `Nothing was saved: ${error.message} Edits can't be kept on this device until that is put right.`,
  };
}

/**
 * Reads; a store that can't be read is a problem with its reason, and no rejection.
 *
 * @param wrong what is wrong with the question: then nothing is read
 */
export async function readFrom<T>(read: () => Promise<Outcome<T>>, wrong?: Problem): Promise<Outcome<T>> {
  if (wrong) return failure(wrong);
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    return failure({ kind: "unavailable", detail: error.message });
  }
}
