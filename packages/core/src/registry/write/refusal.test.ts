import { expect, it } from "vitest";
import { createTestRegistry } from "../../testing/test-registry.ts";

const ana = {
  type: "Individual",
  identifier: [{ system: "urn:id", value: "1" }],
  name: { family: "Reyes" },
};
const role = { coding: [{ system: "urn:service:vocab:relationship", code: "boss" }] };
const clan = {
  type: "Group",
  identifier: [{ system: "urn:group", value: "1" }],
  groupType: "clan",
  name: "",
  member: [{ entity: { reference: "Individual/urn:id|1" }, role }],
};

it("tells all faults of a household that is registered with its people, and that there are more than the first", async () => {
  const { view } = createTestRegistry();
  const written = await view.transaction([
    { verb: "create", type: "Individual", body: ana },
    { verb: "create", type: "Group", body: clan },
  ]);
  const fields = ["/groupType", "/name", "/member/0/role/coding/0/code"];
  expect(written).toMatchObject({
    problem: {
      entry: 1,
      detail: expect.stringMatching(/^\/groupType: .* \(and 2 more\)$/),
      errors: fields.map((field) => ({ field })),
    },
  });
});
