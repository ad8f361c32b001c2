import { describe, expect, it } from "vitest";
import * as z from "zod";
import { success, unwrap } from "../problem.ts";
import { list } from "../resource/list.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store } from "../store/port.ts";
import { shippedChangeRequestTypes } from "./shipped.ts";
import {
  applied,
  bound,
  grantTo,
  open,
  people,
  person,
  rename,
  subjectShown,
  submitted,
} from "./test-world.ts";
import type { ChangeRequestType } from "./types.ts";

const note: ChangeRequestType = {
  name: "note",
  schema: z.strictObject({ about: list(z.json(), 10) }),
  apply: async () => success({}),
};

describe("a submitter who is bound by consent, when a record that is hidden from it gets another name", () => {
  const hidden = [{ reference: person("1") }, { reference: "Individual/urn:n%7C1" }];
  const about = [...hidden, { to: [{ reference: person("2") }] }, { reference: person("nobody") }];
  const idempotency = { key: "submit", fingerprint: "submit" };

  async function drafted() {
    const { registry, view } = open({ types: [note] });
    await people(view, "1", "2");
    const ngo = registry.as(bound);
    const id = await submitted(ngo, { type: "note", draft: true, data: { about } });
    return { view, requests: ngo.changeRequests, id };
  }

  it("reads what it wrote, also once others have approved and applied it", async () => {
    const { registry, view } = open();
    await people(view, "1");
    const consent = await applied(view, grantTo(person("1")));
    const ngo = registry.as(bound);
    const id = await submitted(ngo, grantTo(person("1")));
    unwrap(await view.consents.revoke(consent.ext_id));
    await rename(view, "1", "secret");
    const shown = [await subjectShown(ngo, id)];
    unwrap(await view.changeRequests.approve(id));
    shown.push(await subjectShown(ngo, id));
    expect(shown).toEqual([person("1"), person("1")]);
    expect(await subjectShown(view, id)).toBe(person("secret"));
    unwrap(await view.changeRequests.apply(id));
    // The consent that it asked for lets it see the person.
    expect(await subjectShown(ngo, id)).toBe(person("secret"));
    unwrap(await view.consents.revoke(id));
    expect(await subjectShown(ngo, id)).toBe(person("1"));
  });

  it("is answered what it wrote when it submits a draft, again with the same key, and reads it", async () => {
    const { view, requests, id } = await drafted();
    await rename(view, "1", "secret-1");
    await rename(view, "2", "secret-2");
    const answers = [
      unwrap(await requests.submitDraft(id, { idempotency })).record,
      unwrap(await requests.submitDraft(id, { idempotency })).record,
      unwrap(await requests.read(id)),
    ];
    expect(answers.map(({ data }) => data)).toEqual([{ about }, { about }, { about }]);
    const { data } = unwrap(await view.changeRequests.read(id));
    expect(data).toMatchObject({ about: [{ reference: person("secret-1") }, {}, {}, {}] });
  });

  it("is answered what it wrote when it replaces and submits what was sent back", async () => {
    const { view, requests, id } = await drafted();
    unwrap(await requests.submitDraft(id));
    await rename(view, "1", "secret-1");
    unwrap(await view.changeRequests.revise(id));
    const read = unwrap(await requests.read(id)).data;
    const replaced = unwrap(await requests.replace(id, { data: { about } })).record.data;
    await rename(view, "2", "secret-2");
    const sent = unwrap(await requests.submitDraft(id)).record.data;
    expect([read, replaced, sent]).toEqual([{ about }, { about }, { about }]);
    const { data } = unwrap(await view.changeRequests.read(id));
    expect(JSON.stringify(data)).toContain("secret-2");
  });

  it("can't tell it by the version that the same words get when it sends them again", async () => {
    const { view, requests, id } = await drafted();
    const version = async () => unwrap(await requests.replace(id, { data: { about } })).versionId;
    const unchanged = [await version(), await version()];
    await rename(view, "1", "secret-1");
    await rename(view, "2", "1");
    const changed = [await version(), await version()];
    expect([...unchanged, ...changed]).toEqual(["2", "3", "4", "5"]);
  });
});

it("asks the store the same of a hidden record as of none, for who is bound by consent", async () => {
  const store = createMemoryStore();
  const calls: string[] = [];
  const told = (name: "get" | "resolve" | "query" | "commit") => ({
    [name]: (...args: never[]) => {
      calls.push(name);
      return (store[name] as (...args: never[]) => unknown)(...args);
    },
  });
  const { find: _find, count: _count, ...rest } = store;
  const counted = {
    ...rest,
    ...told("get"),
    ...told("resolve"),
    ...told("query"),
    ...told("commit"),
  } as Store;
  const { registry, view } = open({ store: counted, types: [...shippedChangeRequestTypes, note] });
  await people(view, "1");
  const ngo = registry.as(bound).changeRequests;
  const asked = async (value: string) => {
    calls.length = 0;
    const { ext_id: id, ...record } = unwrap(await ngo.submit(grantTo(person(value)))).record;
    return JSON.stringify([record, calls]).replaceAll(`n|${value}`, "n|");
  };
  const draft = async (value: string) => {
    const data = { about: [{ reference: person(value) }] };
    const id = await submitted(registry.as(bound), { type: "note", draft: true, data });
    calls.length = 0;
    unwrap(await ngo.submitDraft(id));
    return calls.join();
  };
  expect(await draft("1")).toBe(await draft("nobody"));
  const hidden = await asked("1");
  expect(hidden).toContain("pending");
  expect(hidden).toBe(await asked("nobody"));
});
