/** How long to wait, and what to do then. */
export interface Bound {
  /** In milliseconds, since work last said that it goes on. */
  readonly patience: number;
  /** Called when it is over; gives what to reject with. */
  readonly late: () => Error;
}

/**
 * Waits for work, but not for ever: browsers are known in which a call of IndexedDB never answers.
 *
 * @param work is handed a function to call whenever it goes on
 */
export function bounded<T>(
  work: (goesOn: () => void) => PromiseLike<T>,
  { patience, late }: Bound,
): Promise<T> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const goesOn = () => {
      clearTimeout(timer);
      timer = setTimeout(() => reject(late()), patience);
    };
    goesOn();
    work(goesOn)
      .then(resolve, reject)
      .then(() => clearTimeout(timer));
  });
}
