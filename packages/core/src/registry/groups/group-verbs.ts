import { isJsonObject } from "../../json.ts";
import type { Outcome } from "../../problem.ts";
import type { Group } from "../../resource/group.ts";
import { claimOf } from "../record/load.ts";
import { mayUse } from "../scopes.ts";
import type { Settings } from "../settings.ts";
import type { Address, Caller, GroupVerbs, RecordView, WriteOptions, Written } from "../types.ts";
import { planAddMember } from "./add-member.ts";
import { rawOf } from "./body.ts";
import { planMerge } from "./merge.ts";
import { type Asking, type Operation, type OperationRequest, performOperation } from "./operation.ts";
import { planRemoveMember } from "./remove-member.ts";
import { planSplit } from "./split.ts";
import type { Turns } from "./turns.ts";

/** What the member operations write through, and where those on one group wait for each other. */
export interface GroupContext {
  readonly records: RecordView;
  readonly turns: Turns;
}

/** The verbs of groups, member operations included. */
export function groupVerbs(
  settings: Settings,
  caller: Caller,
  { records, turns }: GroupContext,
): GroupVerbs<Group> {
  const asking = { settings, caller };
  const run = <R extends OperationRequest>(
    plan: (asking: Asking, request: R) => Promise<Operation>,
    request: R,
    options: WriteOptions = {},
  ) =>
    turns.take(namesOf(request), () =>
      operate(asking, records, { plan: (all) => plan(all, { ...request, ...expected(options) }), options }),
    );
  return {
    ...records.groups,
    addMember: (address, body, options) => run(planAddMember, { address, body }, options),
    removeMember: (address, body, options) => run(planRemoveMember, { address, body }, options),
    merge: (body, options) => run(planMerge, { body }, options),
    split: (address, body, options) => run(planSplit, { address, body }, options),
  };
}

/** The groups that a request names, as far as they can be read. */
function namesOf(request: OperationRequest & { readonly address?: Address }): readonly string[] {
  if (request.address !== undefined) {
    const claim = claimOf("Group", request.address);
    return claim.ok ? [claim.value] : [];
  }
  const { body } = request;
  const named = isJsonObject(body) ? [body.source, body.target] : [];
  return named.flatMap((reference) => rawOf(reference, "Group") ?? []);
}

function expected({ ifMatch }: WriteOptions): Pick<WriteOptions, "ifMatch"> {
  return ifMatch === undefined ? {} : { ifMatch };
}

/** The scope is asked for before anything of the request is looked up. */
async function operate(
  asking: Asking,
  records: RecordView,
  {
    plan,
    options,
  }: { readonly plan: (asking: Asking) => Promise<Operation>; readonly options: WriteOptions },
): Promise<Outcome<Written<Group>>> {
  const allowed = mayUse(asking.settings, asking.caller, { type: "Group", access: "write" });
  if (!allowed.ok) return allowed;
  const written = await performOperation(records, await plan(asking), options);
  return written as unknown as Outcome<Written<Group>>;
}
