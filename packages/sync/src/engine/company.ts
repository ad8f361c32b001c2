import type { SyncContext } from "./context.ts";

/** How requests of one push may leave: alone, or in company. */
export interface Company {
  /** How many may travel together by what is known now; asks the server where nothing is. */
  most(queue: readonly string[]): Promise<number>;
  /** Whether those that began to travel alone may go on together, since the server has said so meanwhile. */
  mayJoin(queue: readonly string[]): Promise<boolean>;
}

/** A server that could not be asked when the push began may have an answer later; it is not asked for ever. */
const mostAsked = 5;

export function createCompany({ api }: SyncContext): Company {
  let asked = 0;
  let joined = false;
  const most = async (queue: readonly string[]) =>
    queue.length > 1 ? (await api.together.limits()).entries : 1;
  return {
    async most(queue) {
      joined = false;
      return most(queue);
    },
    async mayJoin(queue) {
      if (joined || asked >= mostAsked) return joined;
      asked += 1;
      joined ||= (await most(queue)) > 1;
      return joined;
    },
  };
}
