import { type Outcome, success } from "../problem.ts";
import type { Group } from "../resource/group.ts";
import type { Individual } from "../resource/individual.ts";
import type { ProgramMembership } from "../resource/membership.ts";
import type { Program } from "../resource/program.ts";
import type { ResourceType } from "../resource/types.ts";
import { disclose, history, read } from "./read.ts";
import { search } from "./search/perform-search.ts";
import type { Settings } from "./settings.ts";
import type { Caller, Disclosed, RecordView, Writable, WriteEntry, WriteOptions, Written } from "./types.ts";
import { write } from "./write/write.ts";

/** The verbs of the four types of record, for one caller. Made for each request: what it doesn't use isn't made. */
export function recordView(settings: Settings, caller: Caller): RecordView {
  return {
    get individuals() {
      return verbs<Individual>(settings, caller, "Individual");
    },
    get groups() {
      return verbs<Group>(settings, caller, "Group");
    },
    get programs() {
      return verbs<Program>(settings, caller, "Program");
    },
    get memberships() {
      return verbs<ProgramMembership>(settings, caller, "ProgramMembership");
    },
    transaction: (entries, options = {}) => write(settings, caller, { entries, options }),
  };
}

/** The verbs of one type. The schemas have checked what `T` says, so the records are of it. */
function verbs<T>(settings: Settings, caller: Caller, type: ResourceType): Writable<T> {
  const one = async (entry: WriteEntry, options: WriteOptions): Promise<Outcome<Written<T>>> => {
    const { ifMatch: _, shown: __, ...rest } = options;
    const outcome = await write(settings, caller, { entries: [entry], options: rest });
    return outcome.ok ? success(outcome.value[0] as unknown as Written<T>) : outcome;
  };
  const change =
    (verb: "replace" | "patch"): Writable<T>["replace"] =>
    (address, body, options = {}) => {
      const { ifMatch, shown } = options;
      const stated = { ...(ifMatch !== undefined && { ifMatch }), ...(shown && { shown }) };
      return one({ verb, type, address, body, ...stated }, options);
    };
  return {
    read: (address, options = {}) =>
      read(settings, caller, { type, address, options }) as Promise<Outcome<T & object>>,
    disclose: (address, options = {}) =>
      disclose(settings, caller, { type, address, options }) as unknown as Promise<Outcome<Disclosed<T>>>,
    history: (address, request = {}) => history(settings, caller, { type, address, request }),
    search: (parameters = {}) => search<T>(settings, caller, { type, parameters }),
    create: (body, options = {}) => one({ verb: "create", type, body }, options),
    replace: change("replace"),
    patch: change("patch"),
  };
}
