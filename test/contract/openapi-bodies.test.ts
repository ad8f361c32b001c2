import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { beforeAll, describe, expect, it } from "vitest";
import { origin, type Service, startWithRecords } from "./fixture.ts";

const person = { reference: "Individual/urn:gov:ph:nid|1" };
const group = { reference: "Group/urn:service:group|1" };
const identifier = [{ system: "urn:service:group", value: "new" }];
const split = { identifier, name: "New", members: [person] };
const get = { request: { method: "GET", url: "Individual" } };
const bundle = (...entry: readonly object[]) => ({ resourceType: "Bundle", type: "batch", entry });
const unknown = "00000000-0000-0000-0000-000000000000";

/** Bodies by where they are sent; the service must judge the form of each as the document does. */
const bodies: readonly (readonly [path: string, body: unknown])[] = [
  ["$batch", bundle(get)],
  ["$batch", bundle()],
  ["$batch", bundle(...Array.from({ length: 101 }, () => get))],
  ["$batch", { ...bundle(get), type: "history" }],
  ["$batch", { ...bundle(get), total: 1 }],
  ["$batch", bundle({ request: { method: "BREW", url: "Individual" } })],
  ["$batch", bundle({ request: { method: "GET" } })],
  ["$batch", bundle({ ...get, id: 1 })],
  ["Group/{address}/$add-member", { entity: { reference: "Individual/urn:gov:ph:nid|2" } }],
  ["Group/{address}/$add-member", {}],
  ["Group/{address}/$add-member", { entity: group }],
  ["Group/{address}/$remove-member", { entity: person, reason: "moved", endDate: "2026-02-01" }],
  ["Group/{address}/$remove-member", { entity: person, endDate: "soon" }],
  ["Group/{address}/$remove-member", { entity: person, because: "moved" }],
  ["Group/$merge", { source: group }],
  ["Group/$merge", { source: person, target: group }],
  ["Group/{address}/$split", { ...split, identifier: identifier[0] }],
  ["Group/{address}/$split", { ...split, members: [] }],
  ["Group/{address}/$split", { ...split, name: "" }],
  ["registry/registrant", { name: "Ana", gender: "female", birthdate: "1990-01-01" }],
  ["registry/registrant", { name: "Ana", gender: null, birthdate: null }],
  ["registry/registrant", { name: "Ana", gender: "f" }],
  ["registry/registrant", { name: "" }],
  ["registry/registrant", { name: "Ana", birthdate: "1.1.1990" }],
  ["registry/registrant", { name: "Ana", phone: "1" }],
  ["programs/{ext_id}/enroll", { registrant_ext_id: "1" }],
  ["programs/{ext_id}/enroll", {}],
  ["Consent/{id}/$revoke", { reason: "moved" }],
  ["Consent/{id}/$revoke", { reason: "" }],
  ["Consent/{id}/$revoke", { reason: 5 }],
  ["Consent/{id}/$revoke", { because: "moved" }],
];

describe("the body of", () => {
  let service: Service;
  let program: string;
  let judges: (template: string) => (body: unknown) => boolean;

  beforeAll(async () => {
    service = await startWithRecords();
    program = (await service.call({ path: "/programs" })).body.data[0].ext_id;
    const { body: document } = await service.call({ path: `${origin}/openapi.json`, as: null });
    const ajv = new Ajv2020({ strict: false, validateSchema: false });
    addFormats.default(ajv);
    ajv.addSchema(document, "api");
    judges = (template) => {
      const { schema } = document.paths[template].post.requestBody.content["application/json"];
      return ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')));
    };
  });

  it.each(bodies)("%s is judged as the document judges it: %j", async (template, body) => {
    const documented = judges(`/${template}`)(body);
    const path = template
      .replace("{address}", "urn:service:group|1")
      .replace("{ext_id}", program)
      .replace("{id}", unknown);
    const answer = await service.call({ method: "POST", path: `/${path}`, body });
    // What is there to be found is another matter than the form of the body.
    expect([413, 422].includes(answer.status), JSON.stringify(answer.body)).toBe(!documented);
  });
});
