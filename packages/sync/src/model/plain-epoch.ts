/** Begins what stands for the epoch of a plain server's data; it changes with what is read of them. */
export const plainMark = "plain:";

/** Whether what was read came from searches. */
export function isPlainEpoch(epoch: string | null): boolean {
  return epoch?.startsWith(plainMark) === true;
}
