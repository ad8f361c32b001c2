import { describe, expect, it } from "vitest";
import * as z from "zod";
import type { JsonObject } from "../json.ts";
import { success, unwrap } from "../problem.ts";
import { operator } from "../registry/scopes.ts";
import type { RegistryView } from "../registry/types.ts";
import { list } from "../resource/list.ts";
import { createMemoryStore } from "../store/memory.ts";
import type { Store } from "../store/port.ts";
import {
  anyVersion,
  applied,
  bound,
  fieldsOf,
  grantTo,
  open,
  own,
  people,
  person,
  rename,
  subjectShown,
  submitted,
} from "./test-world.ts";
import type { ChangeRequestType } from "./types.ts";

/** The first becomes somebody else by name, and the second gets the name that it had. */
async function swap(view: RegistryView, first: string, second: string) {
  await rename(view, first, `${first}-new`);
  await rename(view, second, first);
}

describe("a change request whose record is renamed before it is applied", () => {
  it("grants a consent of the person that it named, not of who has the name by now", async () => {
    const { registry, view } = open();
    await people(view, "1", "2");
    const id = await submitted(view, grantTo(person("1")));
    unwrap(await view.changeRequests.approve(id));
    await swap(view, "1", "2");
    const { record } = unwrap(await view.changeRequests.apply(id));
    const ngo = registry.as(bound).individuals;
    expect([(await ngo.read("urn:n|1-new")).ok, (await ngo.read("urn:n|1")).ok]).toEqual([true, false]);
    const consent = unwrap(await view.consents.read(id));
    expect(consent.subject.reference).toBe(person("1-new"));
    expect(record.data).toMatchObject({ subject: { reference: person("1-new") } });
  });

  it("is applied to the person also when nobody else has the name", async () => {
    const { registry, view } = open();
    await people(view, "1");
    const id = await submitted(view, grantTo(person("1")));
    await rename(view, "1", "1-new");
    unwrap(await view.changeRequests.approve(id));
    expect(unwrap(await view.changeRequests.apply(id)).record.status).toBe("applied");
    expect((await registry.as(bound).individuals.read("urn:n|1-new")).ok).toBe(true);
  });

  it("grants a consent of the group that it named", async () => {
    const { view } = open();
    for (const value of ["1", "2"]) {
      const body = { type: "Group", identifier: own(value), groupType: "household", name: value };
      unwrap(await view.groups.create(body));
    }
    const id = await submitted(view, grantTo("Group/urn:n|1"));
    unwrap(await view.changeRequests.approve(id));
    unwrap(await view.groups.patch("urn:n|1", { identifier: own("3") }, anyVersion));
    unwrap(await view.groups.patch("urn:n|2", { identifier: own("1") }, anyVersion));
    unwrap(await view.changeRequests.apply(id));
    expect(unwrap(await view.consents.read(id)).subject.reference).toBe("Group/urn:n|3");
  });

  it("means the same person through a draft, its submission and a revision", async () => {
    const { view } = open();
    await people(view, "1", "2");
    const id = await submitted(view, { ...grantTo(person("1")), draft: true });
    await swap(view, "1", "2");
    expect(await subjectShown(view, id)).toBe(person("1-new"));
    unwrap(await view.changeRequests.submitDraft(id));
    expect(await subjectShown(view, id)).toBe(person("1-new"));
    await rename(view, "1-new", "1-newer");
    const revised = unwrap(await view.changeRequests.revise(id)).record;
    expect(revised.data).toMatchObject({ subject: { reference: person("1-newer") } });
    const { data } = grantTo(person("1"));
    const replaced = unwrap(await view.changeRequests.replace(id, { data })).record;
    expect(replaced.data).toMatchObject({ subject: { reference: person("1") } });
    unwrap(await view.changeRequests.submitDraft(id));
    await swap(view, "1", "1-newer");
    unwrap(await view.changeRequests.approve(id));
    unwrap(await view.changeRequests.apply(id));
    expect(unwrap(await view.consents.read(id)).subject.reference).toBe(person("1-new"));
  });

  it("reopens the enrollment that it named", async () => {
    const { view } = open();
    await people(view, "1", "2");
    const program = { type: "Program", identifier: own("cash"), name: "Cash", targetType: "individual" };
    unwrap(await view.programs.create(program));
    for (const value of ["1", "2"]) {
      const made = {
        type: "ProgramMembership",
        identifier: own(value),
        program: { reference: "Program/urn:n|cash" },
        beneficiary: { reference: person(value) },
        status: "enrolled",
      };
      unwrap(await view.memberships.create(made));
      const left = { status: "exited", exitReason: "moved away" };
      unwrap(await view.memberships.patch(`urn:n|${value}`, left, anyVersion));
    }
    const data = { membership: { reference: "ProgramMembership/urn:n|1" } };
    const id = await submitted(view, { type: "reopen_enrollment", data });
    unwrap(await view.changeRequests.approve(id));
    unwrap(await view.memberships.patch("urn:n|1", { identifier: own("3") }, anyVersion));
    unwrap(await view.memberships.patch("urn:n|2", { identifier: own("1") }, anyVersion));
    unwrap(await view.changeRequests.apply(id));
    const statuses = await Promise.all(["1", "3"].map((value) => view.memberships.read(`urn:n|${value}`)));
    expect(statuses.map((found) => unwrap(found).status)).toEqual(["exited", "enrolled"]);
  });

  it("of a deployment's own type gets data that name the record, wherever in them it is named", async () => {
    const seen: JsonObject[] = [];
    const note: ChangeRequestType = {
      name: "note",
      schema: z.strictObject({ about: list(z.strictObject({ who: z.json() }), 10), reference: z.string() }),
      apply: async (data) => {
        seen.push(data);
        return success({});
      },
    };
    const { view } = open({ types: [note] });
    await people(view, "1", "2");
    const about = [{ who: { reference: "Individual/urn:n%7C1", display: "Ana" } }, { who: person("1") }];
    const id = await submitted(view, { type: "note", data: { about, reference: "Invoice 7" } });
    unwrap(await view.changeRequests.approve(id));
    await swap(view, "1", "2");
    unwrap(await view.changeRequests.apply(id));
    const renamed = [{ who: { reference: person("1-new"), display: "Ana" } }, { who: person("1") }];
    expect(seen).toEqual([{ about: renamed, reference: "Invoice 7" }]);
  });
});

it("shows its submitter who is bound by consent no name that it does not see", async () => {
  const { registry, view } = open();
  await people(view, "1", "2");
  const consent = await applied(view, grantTo(person("1")));
  const ngo = registry.as(bound);
  const id = await submitted(ngo, grantTo(person("1")));
  await swap(view, "1", "2");
  expect(await subjectShown(ngo, id)).toBe(person("1-new"));
  unwrap(await view.consents.revoke(consent.ext_id));
  expect(await subjectShown(ngo, id)).toBe(person("1"));
  expect(await subjectShown(view, id)).toBe(person("1-new"));
});

it("says what to do when its record is archived, or no longer there", async () => {
  const store = createMemoryStore();
  const { view } = open({ store });
  await people(view, "1");
  const id = await submitted(view, grantTo(person("1")));
  unwrap(await view.changeRequests.approve(id));
  unwrap(await view.individuals.patch("urn:n|1", { active: false }, anyVersion));
  const archived = await view.changeRequests.apply(id);
  expect(fieldsOf(archived)).toEqual(["/data/subject/reference"]);
  expect(JSON.stringify(archived)).toContain("reactivate");
  const [holder] = await store.resolve([person("1")]);
  await store.commit({ remove: holder ? [holder] : [] });
  const gone = await view.changeRequests.apply(id);
  expect(fieldsOf(gone)).toEqual(["/data/subject/reference"]);
  expect(JSON.stringify(gone)).toContain("submit a new change request");
});

it("kept by an earlier version means whom its references name when it is approved", async () => {
  const store = createMemoryStore();
  const { view } = open({ store });
  await people(view, "1", "2");
  const id = await submitted(view, grantTo(person("1")));
  const [document] = await store.get([{ collection: "change-request", key: id }]);
  if (!document) throw new Error("it was kept");
  const { links: _, ...body } = document.body as JsonObject;
  await store.commit({ put: [{ ...document, body }] });
  await swap(view, "1", "2");
  unwrap(await view.changeRequests.approve(id));
  await rename(view, "1", "9");
  await rename(view, "1-new", "1");
  unwrap(await view.changeRequests.apply(id));
  expect(unwrap(await view.consents.read(id)).subject.reference).toBe(person("9"));
});

it("is copied with the names of today, and means the same records where it is restored", async () => {
  const { view } = open();
  await people(view, "1", "2");
  const id = await submitted(view, grantTo(person("1")));
  await swap(view, "1", "2");
  const copy = unwrap(await view.changeRequests.copy(id));
  expect(copy.data).toMatchObject({ subject: { reference: person("1-new") } });
  expect(copy).not.toHaveProperty("links");
  const other = open().view;
  await people(other, "1", "1-new");
  unwrap(await other.changeRequests.restore(copy));
  expect(unwrap(await other.changeRequests.copy(id))).toEqual(copy);
  await swap(other, "1-new", "1");
  unwrap(await other.changeRequests.approve(id));
  unwrap(await other.changeRequests.apply(id));
  expect(unwrap(await other.consents.read(id)).subject.reference).toBe(person("1-new-new"));
});

describe("a record that is renamed in the middle", () => {
  /** A store that runs something once before its next commit. */
  function interrupted(store: Store) {
    let pending: (() => Promise<void>) | undefined;
    const wrapped: Store = {
      ...store,
      commit: async (commit) => {
        const run = pending;
        pending = undefined;
        await run?.();
        return store.commit(commit);
      },
    };
    return { wrapped, beforeCommit: (run: () => Promise<void>) => (pending = run) };
  }

  async function world() {
    const store = createMemoryStore();
    const { wrapped, beforeCommit } = interrupted(store);
    const { view } = open({ store: wrapped });
    const other = open({ store, from: 1000 }).registry.as(operator);
    await people(view, "1", "2");
    return { view, swapBeforeCommit: () => beforeCommit(() => swap(other, "1", "2")) };
  }

  it("is looked for again by a submission", async () => {
    const { view, swapBeforeCommit } = await world();
    swapBeforeCommit();
    const id = await submitted(view, grantTo(person("1")));
    expect(await subjectShown(view, id)).toBe(person("1"));
  });

  it("is the one to which a change is applied, named by reference", async () => {
    const { view, swapBeforeCommit } = await world();
    const id = await submitted(view, grantTo(person("1")));
    unwrap(await view.changeRequests.approve(id));
    swapBeforeCommit();
    unwrap(await view.changeRequests.apply(id));
    expect(unwrap(await view.consents.read(id)).subject.reference).toBe(person("1-new"));
  });

  it.each(["edit_farmer", "create_farm"])(
    "is the one to which %s is applied, named by ext_id",
    async (type) => {
      const { view, swapBeforeCommit } = await world();
      const { data } = unwrap(await view.registrants.list());
      const registrant_ext_id = data.find(({ name }) => name === "1")?.ext_id ?? "";
      const more = type === "edit_farmer" ? { farmer: { farmSize: 7 } } : { name: "Hill" };
      const id = await submitted(view, { type, data: { registrant_ext_id, ...more } });
      unwrap(await view.changeRequests.approve(id));
      swapBeforeCommit();
      unwrap(await view.changeRequests.apply(id));
      const [first, second] = await Promise.all(
        ["1-new", "1"].map((value) => view.individuals.read(`urn:n|${value}`, { extensions: "farmer" })),
      );
      expect(first).toMatchObject(
        type === "edit_farmer"
          ? { value: { extension: { farmer: { farmSize: 7 } } } }
          : { value: { groupMembership: [{}] } },
      );
      expect(second).not.toHaveProperty("value.extension");
      expect(second).not.toHaveProperty("value.groupMembership");
    },
  );
});
