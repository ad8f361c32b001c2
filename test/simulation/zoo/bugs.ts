/** A bug that others had in the field, and how this software would have it. */
export interface Bug {
  readonly name: string;
  /** Its row in section C of the field notes. */
  readonly row: number;
  /** The file of the sync package that is changed. */
  readonly file: string;
  /** Text that is there exactly once. */
  readonly from: string;
  readonly to: string;
  /** A seed that shows it, as long as nothing moves; the search begins there. */
  readonly seed: number;
}

/** Bugs of the field, brought back one at a time. The simulation must catch each of them. */
export const bugs: readonly Bug[] = [
  {
    name: "a captive portal's 200 acknowledges an edit",
    seed: 42,
    row: 43,
    file: "engine/verdict.ts",
    from: `const delay = reply.why === "network" ?`,
    to: `if (reply.why === "not-the-api") return { kind: "accepted", record: entry.request.sent };
      const delay = reply.why === "network" ?`,
  },
  {
    name: "later edits are squashed into a request that has left",
    seed: 12,
    row: 37,
    file: "engine/frozen.ts",
    from: "if (isUnheard(entry)) return null;",
    to: `if (entry.request && !entry.parked) {
      const more = freeze({ ...entry, request: null }, local, { key: entry.request.key, at: options.at });
      return more.kind === "request" ? { entry: { ...entry, request: more.request }, local, ended: [] } : null;
    }`,
  },
  {
    name: "one entry that fails holds up all others",
    seed: 17,
    row: 1,
    file: "model/plan.ts",
    from: "return { ready: ready.sort(compare).map((entry) => entry.id), blocked, nextAt, introduces };",
    to: `const failing = entries.find((entry) => entry.attempts > 0 && entry.state !== "parked");
  const first = ready.filter((entry) => !failing || entry.since <= failing.since);
  return { ready: first.sort(compare).map((entry) => entry.id), blocked, nextAt, introduces };`,
  },
  {
    name: "a refused token drops the edit",
    seed: 171,
    row: 24,
    file: "engine/verdict.ts",
    from: `    case "unauthorized":
    case "unavailable":`,
    to: `    case "unauthorized":
      return { kind: "accepted", record: entry.request.sent };
    case "unavailable":`,
  },
  {
    name: "the cursor goes past records that were not applied",
    seed: 1,
    row: 29,
    file: "engine/pull.ts",
    from: "return applyPage(store, page.items, {",
    to: "return applyPage(store, page.items.length > 2 ? page.items.slice(0, -1) : page.items, {",
  },
  {
    name: "an edit that failed a few times is dropped",
    seed: 12,
    row: 23,
    file: "model/settle.ts",
    from: `return { entry: putOff(entry, verdict), local, ended: [] };`,
    to: `if (entry.attempts > 2) return { entry: null, local: entry.base, ended: entry.edits.map((edit) => ({ edit, end: "discarded" as const })) };
      return { entry: putOff(entry, verdict), local, ended: [] };`,
  },
  {
    name: "an answer overwrites what was edited meanwhile",
    seed: 96,
    row: 36,
    file: "model/accept.ts",
    from: `const settled = rebaseEntry(rest, { local, theirs: newest(answer, entry) }, at);`,
    to: `if (edits.length > 0) return { entry: null, local: answer, ended };
  const settled = rebaseEntry(rest, { local, theirs: newest(answer, entry) }, at);`,
  },
  {
    name: "a pull overwrites what is not sent",
    seed: 7,
    row: 26,
    file: "device/settle-item.ts",
    from: "again ?? metUnsent(item, known, { news, copy });",
    to: "again;",
  },
  {
    name: "a removal destroys what is not sent",
    seed: 431,
    row: 32,
    file: "device/settle-item.ts",
    from: `return absorb(entry, local, { kind: "removed", versionId, reason }, options);`,
    to: "void versionId; void reason; return { entry: null, local: null, ended: [] };",
  },
  {
    name: "a conflict sends the same version again",
    seed: 4,
    row: 39,
    file: "model/settle.ts",
    from: `const settled = rebaseEntry(verdict.doubtful ? givenUp(next) : next, { local, theirs }, at);`,
    to: `const settled: Settled = { entry: { ...next, request: null, incoming: null }, local, ended: [] };`,
  },
  {
    name: "an edit is sent without the version that it stands on",
    seed: 4,
    row: 56,
    file: "transport/api.ts",
    from: `...(tag !== undefined && { "if-match": tag }),`,
    to: `...(tag !== undefined && { "if-match": "*" }),`,
  },
  {
    name: "a failed run is never tried again",
    seed: 326,
    row: 40,
    file: "engine/state.ts",
    from: `const at = moment.automatic ? Math.min(moved.nextAttemptAt ?? latest, latest) : null;`,
    to: `const at = moment.automatic && moved.failures === 0 ? Math.min(moved.nextAttemptAt ?? latest, latest) : null;`,
  },
  {
    name: "a request whose answer got lost counts as done",
    seed: 4,
    row: 27,
    file: "engine/verdict.ts",
    from: `const delay = reply.why === "network" ? null : backoff(entry.attempts + 1, context.random());`,
    to: `if (reply.why === "timeout") return { kind: "accepted", record: entry.request.sent };
      const delay = reply.why === "network" ? null : backoff(entry.attempts + 1, context.random());`,
  },
  {
    name: "a record made here comes back as another one",
    seed: 8,
    row: 31,
    file: "device/locate.ts",
    from: `return [serverAlias(item.key), ...(tells ? [] : itemNames(item))];`,
    to: "return [];",
  },
  {
    name: "what refers to a record goes before it",
    seed: 4,
    row: 58,
    file: "model/plan.ts",
    from: `const by = entry.state === "sending" ? undefined : blocker(entry, order);`,
    to: `const by = entry.state === "sending" || entry.attempts === 0 ? undefined : blocker(entry, order);`,
  },
  {
    name: "a clock that was put back puts everything off",
    seed: 12,
    row: 6,
    file: "model/backoff.ts",
    from: `return Date.parse(nextAttemptAt) - Date.parse(now) > longestDelay;`,
    to: `return false;`,
  },
  {
    name: "where two changed the same field, the later one wins",
    seed: 26,
    row: 56,
    file: "model/rebase.ts",
    from: `return { local, conflicts, stands, nothingLeft:`,
    to: `return { local, conflicts: [], stands, nothingLeft:`,
  },
  {
    name: "a crash between two commits separates an edit from its record",
    seed: 7,
    row: 41,
    file: "device/journal.ts",
    from: `return { put, expect: [...expect, session] };`,
    to: `await store.commit({ put });
      return { put: [], expect: [] };`,
  },
  {
    name: "acknowledged edits leave before their answer is written down",
    seed: 1,
    row: 44,
    file: "engine/step.ts",
    from: `const { reply, verdict } = await attempt(context, entry);`,
    to: `await settleWork(context.store, { ...name, at: context.clock().toISOString() }, (_, local) => ({ entry: null, local, ended: [] }));
  const { reply, verdict } = await attempt(context, entry);`,
  },
  {
    name: "the change feed is read from its head when an edit was sent",
    seed: 1,
    row: 6,
    file: "engine/pull.ts",
    from: `const page = await keyed(context, reply.value);`,
    to: `const page = await keyed(context, reply.value) as { items: PulledItem[] } & Awaited<ReturnType<typeof keyed>>;
  if (context.past().lastReadAt && page.items.length > 1) page.items.length = 1;`,
  },
];
