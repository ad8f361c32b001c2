import { sees, wholeVisibility } from "../../consent/visibility.ts";
import { within } from "../../consent/visible-fields.ts";
import type { ResourceType } from "../../resource/types.ts";
import type { Condition } from "../../store/port.ts";
import type { Settings } from "../settings.ts";
import { isSharedSight } from "../sight.ts";
import type { Caller } from "../types.ts";
import { needsLook } from "./meets.ts";
import type { GroupChoice } from "./parameter-kinds.ts";

import type { Criteria, PlannedSearch } from "./search.ts";

/** How a search is answered for its caller. It follows from the query and from the caller alone, never from records. */
export interface Approach {
  /** The search, without the order and the conditions that mean nothing to who never sees their field. */
  readonly search: PlannedSearch;
  /** A condition is on a field that the caller never sees, so nothing is found. */
  readonly isEmpty: boolean;
  /** Conditions that the store may decide: on fields that the caller sees whole, of every record. */
  readonly where: readonly Condition[];
  /** Conditions are looked at in the part of each record that the caller sees. Else that is what the indexes say. */
  readonly byParts: boolean;
  /** Groups of which every person found is a member, where the store knows the members. */
  readonly within?: GroupChoice;
  /** Every record that may be found is looked at before the first is shown: to be counted, or for an order that no index has. */
  readonly isWhole: boolean;
}

/** The fields that indexes are made of, where they have other names. */
const fieldsBehind: Readonly<Record<string, string>> = {
  identity: "identifier",
  birthdate: "birthDate",
  lastUpdated: "meta.lastUpdated",
  endsOn: "status",
};

/** Chooses how a search is answered. */
export function approachTo(settings: Settings, caller: Caller, planned: PlannedSearch): Approach {
  const share = (index: string) => shareOf(settings, caller, { type: planned.type, index });
  const { criteria, sort: _, ...rest } = planned;
  const used = indexesIn(criteria).map(share);
  const sorting = planned.sort && share(planned.sort.index);
  const search: PlannedSearch = {
    ...rest,
    criteria: { ...criteria, withoutArchived: criteria.withoutArchived && share("active") !== "none" },
    ...(planned.sort && sorting !== "none" && { sort: planned.sort }),
  };
  const isShared = isSharedSight(caller, planned.type);
  const byParts = !isShared || used.includes("part");
  const choice = isShared ? criteria.groups.find(({ none }) => !none) : undefined;
  const isCounted = planned.total && (byParts || needsLook(criteria));
  return {
    search,
    isEmpty: used.includes("none"),
    where: indexedConditions(search.criteria).filter(({ index }) => share(index) === "whole"),
    byParts,
    ...(choice && { within: choice }),
    isWhole: isCounted || sorting === "part" || (choice !== undefined && sorting === "whole"),
  };
}

/** Conditions that an index may decide. */
function indexedConditions({ where, withoutArchived }: Criteria): readonly Condition[] {
  return withoutArchived ? [...where, { index: "active", anyOf: ["true"] }] : where;
}

/** The indexes, and the fields that no index has, that criteria look at. */
function indexesIn({ where, not, groups, roles }: Criteria): readonly string[] {
  const indexes = [...where, ...not].map(({ index }) => index);
  if (groups.length > 0) indexes.push("groupMembership.group");
  if (roles.length > 0) indexes.push("groupMembership.role");
  return indexes;
}

/** How much of what an index is made of a caller sees, of every record: all, none, or a part, which may be another one of each record. */
function shareOf(
  { policies }: Pick<Settings, "policies">,
  caller: Caller,
  { type, index }: { readonly type: ResourceType; readonly index: string },
): "whole" | "part" | "none" {
  const field = Object.hasOwn(fieldsBehind, index) ? (fieldsBehind[index] ?? index) : index;
  const widest = within(wholeVisibility, caller.fields);
  const named = sees(widest, field);
  if (!named && !caller.fields?.some((one) => one.startsWith(`${field}.`))) return "none";
  if (isSharedSight(caller, type)) return named ? "whole" : "part";
  const isKnown = field === "identifier" && policies.withoutConsent === "identifiers";
  return isKnown ? "whole" : "part";
}
