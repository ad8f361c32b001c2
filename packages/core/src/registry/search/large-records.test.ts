import { expect, it } from "vitest";
import { unwrap } from "../../problem.ts";
import { bodySizes } from "../../store/match.ts";
import type { Store } from "../../store/port.ts";
import { createTestRegistry } from "../../testing/test-registry.ts";
import { chunkBytes } from "../every-page.ts";
import { group, member, person } from "./test-world.ts";

const size = 1_000_000;
const crowd = 24;
// A JPEG's beginning, one scan of so much data, and its end.
const photo = `data:image/jpeg;base64,${btoa(`\xff\xd8\xff\xda\0\x08\x01\x01\0\0\x3f\0${"x".repeat((3 * size) / 4)}\xff\xd9`)}`;

it.each([
  ["who sees all", {}, ""],
  ["who sees all, in an order of the store", {}, "name"],
  ["with parts of fields", { fields: ["name.family", "groupMembership"] }, ""],
  ["with parts of fields, sorting by one", { fields: ["name.family"] }, "name"],
  ["bound by consents", { organization: "Relief", legalBasis: "consent" }, ""],
  ["bound by consents, sorting", { organization: "Relief", legalBasis: "consent" }, "name"],
])(
  "a search of people reads no photo that it does not show, and few at once for a caller %s",
  async (_who, caller, sort) => {
    const world = createTestRegistry();
    for (let i = 0; i < crowd; i++) unwrap(await world.view.individuals.create(person(`p${i}`, { photo })));
    const members = Array.from({ length: crowd }, (_, i) => member(`p${i}`));
    unwrap(await world.view.groups.create(group("g", members)));
    const terms = {
      grantee: { organization: "Relief" },
      scope: [{ resourceType: "all", fieldAccess: "all" }],
    };
    unwrap(await world.view.consents.grant({ ...terms, subject: { reference: "Group/urn:group|g" } }));
    world.advance({ days: 1 });
    let largest = 0;
    const note = (documents: readonly ({ readonly body: never } | undefined)[]) => {
      let bytes = 0;
      for (const one of bodySizes(documents)) bytes += one;
      largest = Math.max(largest, bytes);
    };
    const store: Store = {
      ...world.store,
      async get(keys) {
        const found = await world.store.get(keys);
        note(found as never);
        return found;
      },
      async query(query) {
        const page = await world.store.query(query);
        note(page.documents as never);
        return page;
      },
    };
    const view = createTestRegistry({ store, startAt: "2026-01-02T08:00:00.000Z" }).as(caller);
    const asked = { limit: "500", ...(sort && { _sort: sort }) };
    const page = unwrap(await view.individuals.search(asked));
    expect([page.data.length, page.hasMore]).toEqual([crowd, false]);
    expect(largest).toBeLessThan(size);
    const pictured = unwrap(await view.individuals.search({ ...asked, _elements: "photo" }));
    const photos = pictured.data.filter((shown) => shown.photo === photo);
    expect(photos).toHaveLength("fields" in caller ? 0 : crowd);
    expect(largest).toBeLessThanOrEqual(chunkBytes + 10_000);
  },
);
