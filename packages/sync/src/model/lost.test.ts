import type { JsonObject } from "@fieldroll/core";
import { describe, expect, it } from "vitest";
import { absorb } from "./absorb.ts";
import { type Accepted, acceptedOf, withAccepted } from "./accepted.ts";
import { addEdit } from "./edits.ts";
import type { OutboxEntry } from "./entry.ts";
import { freeze } from "./freeze.ts";
import { giveBack } from "./given-back.ts";
import { giveAgain, type Known } from "./lost.ts";
import { park } from "./park.ts";
import { settle } from "./settle.ts";

const at = "2026-01-15T08:00:00.000Z";
const anew = { at, epoch: "restored" };
const named = { type: "Individual", key: "k" } as const;

function person(version: number, rest: JsonObject = {}): JsonObject {
  const meta = { versionId: String(version), lastUpdated: at, source: "urn:test" };
  const identifier = [{ system: "urn:service:registrant", value: "1" }];
  return { type: "Individual", identifier, name: { family: "Cruz", given: "Ana" }, ...rest, meta };
}

const family = (name: string) => ({ name: { family: name, given: "Ana" } });
const calls = (...values: string[]) => ({ telecom: values.map((value) => ({ system: "phone", value })) });

function edited(before: JsonObject | null, after: JsonObject, id = "e"): OutboxEntry {
  return addEdit(null, { ...named, before, after, by: "t", at }, id);
}

/** One accepted request, from one copy to another. */
function accepted(before: JsonObject | null, after: JsonObject, epoch: string | null = "former"): Accepted {
  const entry = edited(before, after);
  const frozen = freeze(entry, after, { key: "key", at, epoch });
  const kept = frozen.kind === "request" && acceptedOf(entry, frozen.request, { answer: after, at });
  if (!kept) throw new Error("nothing was accepted");
  return kept;
}

function known(local: JsonObject | null, list: readonly Accepted[], entry: OutboxEntry | null = null): Known {
  return { ...named, entry, local, accepted: list };
}

describe("what is kept of an accepted request", () => {
  it("is what it changed, before and after", () => {
    expect(accepted(person(1), person(2, { ...family("Reyes"), birthDate: "1990-01-01" }))).toEqual({
      epoch: "former",
      versionId: 2,
      reference: "Individual/urn:service:registrant|1",
      at,
      edit: { id: "e", at, by: "t" },
      before: family("Cruz"),
      after: { ...family("Reyes"), birthDate: "1990-01-01" },
    });
  });

  it("is nothing at a server that has no epochs", () => {
    const entry = edited(person(1), person(2, family("Reyes")));
    const frozen = freeze(entry, person(2, family("Reyes")), { key: "key", at, epoch: "plain:{}" });
    expect(
      frozen.kind === "request" && acceptedOf(entry, frozen.request, { answer: person(2), at }),
    ).toBeUndefined();
  });

  it("is also what the server had already when it refused it, or when news of that came after", () => {
    const [before, after] = [person(1), person(2, family("Reyes"))];
    const entry = edited(before, after);
    const frozen = freeze(entry, after, { key: "key", at, epoch: "former" });
    const request = frozen.kind === "request" ? frozen.request : null;
    const incoming = { kind: "upsert", record: after } as const;
    const refusal = { kind: "rejected", detail: "too large", errors: [] } as const;
    const kept = { ...accepted(before, after), at };
    expect(settle({ ...entry, request, incoming, attempts: 1 }, after, refusal, at).accepted).toEqual(kept);
    expect(absorb(entry, after, incoming, { at, epoch: "former" }).accepted).toEqual(kept);
    expect(
      absorb(edited(before, person(1, family("Diaz"))), after, incoming, { at }).accepted,
    ).toBeUndefined();
  });

  it("is the first of a record one by one, and the last ones", () => {
    const first = accepted(null, person(1));
    const change = accepted(person(1), person(2, family("Reyes")));
    const all = Array.from({ length: 60 }, (_, i) => ({ ...change, versionId: i })).reduce(withAccepted, [
      first,
    ] as readonly Accepted[]);
    expect(all).toHaveLength(51);
    expect([all[0], all.at(-1)?.versionId]).toEqual([first, 59]);
  });
});

describe("a record that the restored server has", () => {
  const renamed = accepted(person(1), person(2, family("Reyes")));

  it("gets an edit once that is to be sent again, and that a file has brought back unsent", () => {
    const local = person(1, family("Reyes"));
    const settled = giveAgain(known(local, [renamed], edited(person(1), local)), { record: person(1) }, anew);
    expect(settled?.entry?.edits.map(({ id }) => id)).toEqual(["e"]);
    expect(settled?.local).toMatchObject(family("Reyes"));
  });
  const called = accepted(person(2, calls("a")), person(3, calls("a", "b")));

  it.each<{
    name: string;
    accepted: readonly Accepted[];
    local: JsonObject;
    theirs: JsonObject;
    expected: JsonObject;
    left: readonly string[] | "conflict" | "nothing";
  }>([
    {
      name: "without the change gets it",
      accepted: [renamed],
      local: person(2, family("Reyes")),
      theirs: person(1),
      expected: family("Reyes"),
      left: ["name"],
    },
    {
      name: "with the change gets nothing",
      accepted: [renamed],
      local: person(2, family("Reyes")),
      theirs: person(7, family("Reyes")),
      expected: family("Reyes"),
      left: "nothing",
    },
    {
      name: "keeps what others changed elsewhere since",
      accepted: [renamed],
      local: person(2, family("Reyes")),
      theirs: person(2, { birthDate: "1990-01-01" }),
      expected: { ...family("Reyes"), birthDate: "1990-01-01" },
      left: ["name"],
    },
    {
      name: "went on by more than the device knows: the change may have been taken back before the backup",
      accepted: [renamed],
      local: person(2, family("Reyes")),
      theirs: person(3),
      expected: family("Reyes"),
      left: "conflict",
    },
    {
      name: "did not go on beyond what the device has seen since",
      accepted: [renamed],
      local: person(4, { ...family("Reyes"), birthDate: "1990-01-01" }),
      theirs: person(4, { birthDate: "1990-01-01" }),
      expected: family("Reyes"),
      left: ["name"],
    },
    {
      name: "in which others changed the same since is a person's to decide",
      accepted: [renamed],
      local: person(2, family("Reyes")),
      theirs: person(2, family("Santos")),
      expected: family("Reyes"),
      left: "conflict",
    },
    {
      name: "does not get back what others had replaced before",
      accepted: [renamed],
      local: person(3, family("Santos")),
      theirs: person(1),
      expected: family("Cruz"),
      left: "nothing",
    },
    {
      name: "gets this device's item of a list, and not those of others",
      accepted: [called],
      local: person(4, calls("a", "b", "others")),
      theirs: person(1, calls("a")),
      expected: calls("a", "b"),
      left: ["telecom"],
    },
    {
      name: "keeps an item of a list that it has already as one",
      accepted: [called],
      local: person(4, calls("a", "b")),
      theirs: person(5, calls("b", "a", "c")),
      expected: calls("b", "a", "c"),
      left: "nothing",
    },
    {
      name: "gets several changes of one field as the last of them",
      accepted: [renamed, accepted(person(2, family("Reyes")), person(3, family("Luna")))],
      local: person(3, family("Luna")),
      theirs: person(1),
      expected: family("Luna"),
      left: ["name", "name"],
    },
  ])("$name", ({ accepted: list, local, theirs, expected, left }) => {
    const settled = giveAgain(known(local, list), { record: theirs }, anew);
    expect(settled?.local).toMatchObject(expected);
    expect(settled?.ended).toEqual([]);
    if (left === "nothing") {
      expect(settled).toMatchObject({ entry: null, local: { meta: theirs.meta as JsonObject } });
      expect(settled?.kept?.map(({ epoch }) => epoch)).toEqual(list.map(() => "restored"));
      return;
    }
    expect(settled?.kept).toEqual([]);
    if (left === "conflict") expect(settled?.entry?.parked).toMatchObject({ reason: "conflict", theirs });
    else {
      expect(settled?.entry).toMatchObject({ base: theirs, parked: null });
      expect(settled?.entry?.edits.map(({ patch }) => Object.keys(patch)[0])).toEqual(left);
    }
  });

  it("gets the change from what is kept of it where the device has forgotten the record", () => {
    const theirs = person(2, { birthDate: "1990-01-01" });
    expect(giveAgain(known(null, [renamed]), { record: theirs }, anew)).toMatchObject({
      entry: { base: theirs, parked: null },
      local: { ...family("Reyes"), birthDate: "1990-01-01" },
    });
    expect(giveAgain(known(null, [renamed]), { record: person(3) }, anew)?.entry?.parked?.isUndone).toBe(
      true,
    );
  });

  it("is not given what consents do not show now, and gets it once they show the record whole", () => {
    const { meta: _, ...part } = person(1);
    const hidden = { ...part, name: { given: "Ana" } };
    expect(giveAgain(known(hidden, [renamed]), { record: hidden }, anew)).toBeNull();
    expect(giveAgain(known(hidden, [renamed]), { record: person(1) }, anew)).toMatchObject({
      entry: { base: person(1) },
      local: family("Reyes"),
    });
  });

  it("gets what was accepted beside what was done on the part that consents showed", () => {
    const { meta: _, telecom: __, ...part } = person(2, family("Reyes"));
    const local = { ...part, ...calls("new") };
    const settled = giveAgain(
      known(local, [accepted(person(1), person(2, calls("old")))], edited(part, local, "unsent")),
      { record: person(1) },
      anew,
    );
    const { telecom } = settled?.local ?? {};
    const values = (telecom as readonly JsonObject[]).map(({ value }) => value);
    expect(values.sort()).toEqual(["new", "old"]);
    expect(settled?.entry?.edits.map(({ id }) => id)).toEqual(["e", "unsent"]);
  });

  it("gets what was accepted before any data were read, where it has not got that", () => {
    const list = [accepted(person(1), person(2, family("Reyes")), null)];
    const local = person(2, family("Reyes"));
    expect(giveAgain(known(local, list), { record: person(1) }, anew)).toMatchObject({
      entry: { base: person(1) },
    });
    expect(giveAgain(known(local, list), { record: local }, anew)).toMatchObject({ entry: null, local });
  });

  it("gets what was accepted after older unsent work came back to it, whose copy has no version", () => {
    const [before, after] = [person(4, calls("1")), person(7, { ...calls("1", "2"), ...family("Reyes") })];
    const old = { ...before, meta: { ...(before.meta as JsonObject), versionId: "0" } };
    const unsent = edited(old, { ...old, birthDate: "1990-01-01" }, "unsent");
    const local = { ...old, birthDate: "1990-01-01" };
    const settled = giveAgain(
      known(local, [accepted(before, after)], unsent),
      { record: person(5, calls("1")) },
      anew,
    );
    const expected = { ...calls("1", "2"), ...family("Reyes"), birthDate: "1990-01-01" };
    expect(settled?.local).toMatchObject(expected);
    expect(settled?.entry?.edits.map(({ id }) => id)).toEqual(["e", "unsent"]);
  });

  it("gets what was accepted and what was not sent yet, in their order", () => {
    const sent = person(2, family("Reyes"));
    const local = person(2, { ...family("Reyes"), ...calls("new") });
    const settled = giveAgain(
      known(local, [renamed], edited(sent, local, "unsent")),
      { record: person(1) },
      anew,
    );
    expect(settled?.local).toMatchObject({ ...family("Reyes"), ...calls("new") });
    expect(settled?.entry?.edits.map(({ id }) => id)).toEqual(["e", "unsent"]);
  });

  it.each([
    {
      name: "what the same data accepted",
      list: [accepted(person(1), person(2, family("Reyes")), "restored")],
    },
    { name: "that it was made, which it shows itself", list: [accepted(null, person(1))] },
  ])("is not given $name", ({ list }) => {
    expect(giveAgain(known(person(2, family("Reyes")), list), { record: person(1) }, anew)).toBeNull();
  });
});

describe("a record that the restored server does not have", () => {
  const made = accepted(null, person(1));
  const called = accepted(person(1), person(2, calls("a")));
  const said = { ...family("Cruz"), ...calls("a") };

  it("is sent as a new one where this device made it, as it was last", () => {
    const settled = giveBack(
      known(person(5, { ...calls("a"), birthDate: "1990-01-01" }), [made, called]),
      false,
      anew,
    );
    expect(settled?.entry).toMatchObject({ base: null, parked: null, request: null });
    expect(settled?.entry?.provides).toEqual(["Individual/urn:service:registrant|1"]);
    expect(settled?.local).toMatchObject({ ...calls("a"), birthDate: "1990-01-01" });
    expect(settled?.entry?.lost).not.toHaveProperty("telecom");
  });

  it("is made of what is kept where this device has forgotten it", () => {
    expect(giveBack(known(null, [made, called]), false, anew)?.local).toMatchObject(said);
    expect(giveBack(known(null, [called]), false, anew)).toBeNull();
  });

  it("is made of what was sent where consents hide it from whoever made it", () => {
    const { meta: _, name: __, ...hidden } = person(1);
    const settled = giveBack(known({ ...hidden, _consent: { status: "none" } }, [made, called]), false, anew);
    expect(settled?.local).toEqual({ ...hidden, ...said });
    expect(settled?.entry?.lost).toMatchObject({ ...hidden, meta: { who: family("Cruz") } });
  });

  it("is made of what was sent, and what was changed here, where consents hide it from whoever does both", () => {
    const { meta, name: _, ...hidden } = person(1);
    const shown = { ...hidden, ...calls("b"), meta: meta ?? null };
    const settled = giveBack(known(shown, [made], edited(hidden, shown, "f")), false, anew);
    expect(settled?.local).toMatchObject({ ...hidden, ...family("Cruz"), ...calls("b") });
    expect(settled?.entry?.edits).toHaveLength(2);
  });

  it("waits for a person where this device only changed it", () => {
    expect(giveBack(known(person(2, calls("a")), [called]), false, anew)).toMatchObject({
      entry: { base: null, parked: { reason: "gone" } },
    });
  });

  it("goes where nothing of it is this device's, unless unsent work refers to it", () => {
    expect(giveBack(known(person(2), []), false, anew)).toBeNull();
    expect(giveBack(known(person(2), []), true, anew)).toMatchObject({
      entry: { parked: { reason: "gone" } },
    });
  });

  it("stays as it is where it was never there", () => {
    const entry = edited(null, person(0));
    expect(giveBack(known(person(0), [made], entry), true, anew)).toBeNull();
  });
});

describe("a record that was lost, and that another device has given back", () => {
  const theirs = person(3, { birthDate: "1984-05-11" });
  const local = person(0, calls("a"));
  const waiting: OutboxEntry = {
    ...edited(person(0), local),
    ...{ base: null, lost: person(0) },
  };
  const posted = (record: JsonObject): OutboxEntry => {
    const frozen = freeze(waiting, record, { key: "key", at });
    return { ...waiting, request: frozen.kind === "request" ? frozen.request : null };
  };
  const refusal = { kind: "duplicate", detail: "taken", existing: null, own: true } as const;
  const merged = {
    entry: { base: theirs, parked: null, request: null, edits: [{ id: "e" }] },
    local: { ...calls("a"), birthDate: "1984-05-11", meta: { versionId: "3" } },
  };

  it("takes the edit when it was to be made again", () => {
    expect(settle(posted(local), local, { ...refusal, theirs }, at)).toMatchObject(merged);
    expect(settle(posted(local), local, { ...refusal, theirs }, at).entry?.lost).toBeNull();
  });

  it("takes the edit when a feed tells of it, also where it waits as a duplicate of that very record", () => {
    const news = { kind: "upsert", record: theirs } as const;
    expect(absorb(waiting, local, news, { at })).toMatchObject(merged);
    const parked = park("duplicate", "taken", { since: at, theirs });
    expect(absorb({ ...waiting, parked }, local, news, { at })).toMatchObject(merged);
  });

  it("is not another record with an identifier that both were given", () => {
    const card = { system: "urn:card", value: "7" };
    const made = local.identifier as readonly JsonObject[];
    const renewed = { ...local, identifier: [...made, card] };
    const office = { system: "urn:service:registrant", value: "2" };
    const other = { ...theirs, identifier: [office, card] };
    const lost = { ...person(0), identifier: renewed.identifier };
    const news = { kind: "upsert", record: other } as const;
    expect(absorb({ ...waiting, lost }, renewed, news, { at })).toMatchObject({
      entry: { base: null, parked: { reason: "duplicate", theirs: other } },
      local: renewed,
    });
  });

  it.each([
    ["says the same of who it is", {}, null],
    ["is of somebody born on another day", { birthDate: "1950-01-01" }, "duplicate"],
    ["has another name", family("Santos"), "duplicate"],
  ])("that nobody made an identifier for, and that %s", (_, rest, reason) => {
    const identifier = [{ system: "urn:card", value: "7" }];
    const lost = { ...person(0, { birthDate: "1990-01-01" }), identifier };
    const shown = { ...lost, ...calls("a") };
    const back = { ...person(3, { birthDate: "1990-01-01" }), ...rest, identifier };
    const { entry } = absorb({ ...waiting, lost }, shown, { kind: "upsert", record: back }, { at });
    expect(entry?.parked?.reason ?? null).toBe(reason);
  });
});
