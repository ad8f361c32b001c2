import { unwrap } from "@fieldroll/core";
import { beforeEach, describe, expect, it } from "vitest";
import { ana, ben, consentWorld } from "./consent-world.ts";
import { stores } from "./fixture.ts";
import { everything, type World } from "./world.ts";

const clerk = { id: "clerk", scopes: everything, legalBasis: "contract", fields: ["name"] };
const nobody = "Individual/urn:gov:ph:nid|77";

describe.each(stores)("a consent and a restricted caller on %s", (_name, open) => {
  let world: World;
  beforeEach(async () => {
    world = await consentWorld(open, {}, [clerk]);
  });

  it("the evidence is shown to unrestricted callers alone, in every answer", async () => {
    const evidence = "A form, signed";
    const id = await world.grant({ subject: ana, organization: "Helpers", more: { evidence } });
    const path = `/Consent/${id}`;
    expect((await world.get("ministry", path)).body.evidence).toBe(evidence);
    for (const client of ["ngo", "clerk"]) {
      const read = await world.get(client, path);
      expect([read.status, read.body.id, read.body.evidence]).toEqual([200, id, undefined]);
      const bundle = {
        resourceType: "Bundle",
        type: "batch",
        entry: [{ request: { method: "GET", url: `Consent/${id}` } }],
      };
      expect(JSON.stringify((await world.post(client, "/$batch", bundle)).body)).not.toContain(evidence);
    }
    const revoked = await world.post("ngo", `${path}/$revoke`, {});
    expect([revoked.status, revoked.body.status, revoked.body.evidence]).toEqual([
      200,
      "withdrawn",
      undefined,
    ]);
    expect((await world.get("ministry", path)).body.evidence).toBe(evidence);
  });

  it("is withdrawn by $revoke and not by DELETE, which is refused before anything is looked up", async () => {
    const id = await world.grant({ subject: ana, organization: "Helpers", more: { evidence: "A form" } });
    for (const client of ["ngo", "ngo2", "clerk"]) {
      const known = await world.send(client, { method: "DELETE", path: `/Consent/${id}` });
      const unknown = await world.send(client, {
        method: "DELETE",
        path: "/Consent/0190a6b0-0000-7000-8000-000000000000",
      });
      expect(known.status).toBe(403);
      expect({ ...known.body, instance: "" }).toEqual({ ...unknown.body, instance: "" });
      expect(known.body.detail).toContain("$revoke");
    }
    expect((await world.get("ministry", `/Consent/${id}`)).body).toMatchObject({
      status: "given",
      evidence: "A form",
    });
    expect((await world.post("ngo", `/Consent/${id}/$revoke`, {})).status).toBe(200);
    expect((await world.send("ministry", { method: "DELETE", path: `/Consent/${id}` })).status).toBe(204);
  });

  const form = (reference: string) => ({
    type: "grant_consent",
    data: {
      subject: { reference },
      grantee: { organization: "Helpers" },
      scope: [{ resourceType: "all", fieldAccess: "basic" }],
      evidence: "A form, signed",
    },
  });

  it("is asked for by a change request that waits, whether its subject is visible, hidden or unknown", async () => {
    await world.grant({ subject: ana, organization: "Helpers" });
    const asked = async (client: string, reference: string) => {
      const { status, headers, body } = await world.post(client, "/change_request", form(reference));
      const work = [...world.storeCalls.list];
      const { ext_id: id, ...data } = body.data;
      // What is asked for is a letter longer in one of them, and stands in the answer.
      const told = JSON.stringify([
        status,
        [...headers].filter(([name]) => name !== "content-length"),
        data,
        work,
      ]);
      return {
        id,
        told: told
          .replaceAll(id, "")
          .replaceAll(reference, "")
          .replaceAll(/"x-request-id","[^"]*"/g, ""),
      };
    };
    for (const client of ["ngo", "clerk"]) {
      const [hidden, unknown] = [await asked(client, ben), await asked(client, nobody)];
      expect(hidden.told).toBe(unknown.told);
      expect(hidden.told).toContain('"status":"pending"');
      const review = (id: string, operation: string) =>
        world.post("ministry", `/change_request/${id}/$${operation}`, undefined);
      for (const { id } of [hidden, unknown]) expect((await review(id, "approve")).status).toBe(200);
      const applied = await review(hidden.id, "apply");
      expect([applied.status, applied.body.data.status]).toEqual([200, "applied"]);
      const refused = await review(unknown.id, "apply");
      expect([refused.status, refused.body.errors]).toEqual([
        422,
        [expect.objectContaining({ field: "/data/subject/reference", code: "unknown_reference" })],
      ]);
      unwrap(await world.view.consents.revoke(hidden.id));
    }
    expect((await world.post("ministry", "/change_request", form(nobody))).status).toBe(422);
  });
});
