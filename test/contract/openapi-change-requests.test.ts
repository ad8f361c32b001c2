import { farmer, shippedChangeRequestTypes, success } from "@fieldroll/core";
import { beforeAll, describe, expect, it } from "vitest";
import { origin, type Service, type ServiceOptions, startService, startWithRecords } from "./fixture.ts";

// biome-ignore lint/suspicious/noExplicitAny: what a test looks at is what it asserts
type Document = any;

async function documentOf(service: Service): Promise<Document> {
  return (await service.call({ path: `${origin}/openapi.json`, as: null })).body;
}

async function documentWith(options: ServiceOptions): Promise<Document> {
  return documentOf(await startService(options));
}

/** The schema of the data of a declared type, found as a reader finds it: through the body of the operation. */
function dataOf({ components: { schemas } }: Document, type: string): Document {
  const named = ({ $ref }: { $ref: string }) => schemas[$ref.split("/").at(-1) ?? ""];
  const forms: Document[] = schemas.ChangeRequestBody.oneOf.map(named);
  const form = forms.find(({ properties }) => properties.type.const === type);
  expect(form?.title).toBe(type);
  return named(form.properties.data);
}

/** Places of members without a description. */
function undescribed({ properties = {}, items }: Document, place = ""): readonly string[] {
  const below = Object.entries<Document>(properties).flatMap(([name, member]) => [
    ...(member.description === undefined && member.$ref === undefined ? [`${place}/${name}`] : []),
    ...undescribed(member, `${place}/${name}`),
  ]);
  return [...below, ...(items ? undescribed(items, `${place}[]`) : [])];
}

let service: Service;
let document: Document;

beforeAll(async () => {
  service = await startWithRecords();
  document = await documentOf(service);
});

describe("what may be submitted", () => {
  it.each(shippedChangeRequestTypes.map(({ name }) => name))(
    "has a form, a name and an example of %s",
    (type) => {
      expect(dataOf(document, type).properties).toBeDefined();
      const { examples } = document.paths["/change_request"].post.requestBody.content["application/json"];
      expect(examples[type].value).toMatchObject({ type, data: {} });
    },
  );

  it("says what each member of its data means", () => {
    for (const { name } of shippedChangeRequestTypes) {
      expect([name, undescribed(dataOf(document, name))]).toEqual([name, []]);
    }
    const terms = dataOf(document, "grant_consent");
    expect(Object.keys(terms.properties)).toContain("legalBasis");
    expect(Object.keys(terms.properties.scope.items.properties)).toContain("fieldAccess");
  });

  it("is accepted as its examples have it, of records that are there", async () => {
    const { examples } = document.paths["/change_request"].post.requestBody.content["application/json"];
    const path = "/registry/registrant";
    const { body: person } = await service.call({ method: "POST", path, body: { name: "Ana" } });
    const text = JSON.stringify([
      examples.add_farmer,
      examples.edit_farmer,
      examples.create_farm,
      examples.grant_consent,
    ])
      .replaceAll(/"registrant_ext_id":"[^"]*"/g, `"registrant_ext_id":"${person.data.ext_id}"`)
      .replaceAll("urn:gov:ph:nid|123456", "urn:gov:ph:nid|1");
    for (const { value } of JSON.parse(text)) {
      const { status, body } = await service.call({ method: "POST", path: "/change_request", body: value });
      expect([value.type, status, body.errors]).toEqual([value.type, 201, undefined]);
    }
  });
});

describe("an extension in a change request", () => {
  const crop = { $ref: "#/components/schemas/CodeableConcept" };

  it("is typed as the deployment declares it", () => {
    const { farmer } = dataOf(document, "add_farmer").properties;
    expect(farmer).toMatchObject({ properties: { farmSize: { minimum: 0 }, primaryCrop: crop } });
    expect(farmer.additionalProperties).toBe(false);
  });

  it("may be cleared member by member where it is a merge patch", () => {
    const { farmer } = dataOf(document, "edit_farmer").properties;
    expect(farmer.properties).toMatchObject({
      farmSize: { type: ["number", "null"] },
      primaryCrop: { anyOf: [{ $ref: "#/components/schemas/CodeableConceptPatch" }, { type: "null" }] },
    });
  });

  it("is left out where none is declared that could be sent", async () => {
    expect(dataOf(document, "create_farm").properties).not.toHaveProperty("farm");
    expect(dataOf(document, "create_farm").description).toContain("no extension of that name");
    const farm = { ...farmer, name: "farm", appliesTo: ["Group"] as const };
    const own = await documentWith({ registry: { extensions: [farmer, farm] } });
    expect(dataOf(own, "create_farm").properties.farm).toMatchObject({ properties: { farmSize: {} } });
    const without = await documentWith({ registry: { extensions: [] } });
    const { examples } = without.paths["/change_request"].post.requestBody.content["application/json"];
    expect(Object.keys(examples)).toEqual(["create_farm", "grant_consent", "reopen_enrollment"]);
  });
});

it("takes the example of a deployment's own type from its schema, and gives types of like names schemas of their own", async () => {
  const schema = farmer.schema.meta({ examples: [{ farmSizeUnit: "ha" }] });
  const apply = async () => success({});
  const types = ["move_in", "move-in"].map((name) => ({ name, schema, apply }));
  const own = await documentWith({ registry: { changeRequestTypes: types } });
  expect(dataOf(own, "move_in").properties.farmSizeUnit).toMatchObject({ maxLength: 255 });
  expect(dataOf(own, "move-in").properties.farmSizeUnit).toMatchObject({ maxLength: 255 });
  const { examples } = own.paths["/change_request"].post.requestBody.content["application/json"];
  expect(examples.move_in.value).toEqual({ type: "move_in", data: { farmSizeUnit: "ha" } });
});

it("lists the states and types by which change requests are found", () => {
  const { parameters } = document.paths["/change_request"].get;
  const words = (name: string) =>
    parameters.find((one: { name?: string }) => one.name === name)?.schema.items.enum;
  expect(words("status")).toEqual(["draft", "pending", "approved", "applied", "rejected", "revision"]);
  expect(words("type")).toEqual(shippedChangeRequestTypes.map(({ name }) => name));
});

it("shows an applied request with its review and its data", () => {
  const { responses } = document.paths["/change_request/{ext_id}/$apply"].post;
  const { value } = responses[200].content["application/json"].examples.example;
  expect(value.data).toMatchObject({ status: "applied", reviewed_at: {}, reviewed_by: {}, data: {} });
});

it("offers a key of repetition where the capability statement does", async () => {
  const { body } = await service.call({ path: "/metadata", as: null });
  const methods = Object.values<Document>(document.paths).flatMap((item) =>
    Object.entries<Document>(item).flatMap(([method, { parameters, responses }]) => {
      const text = JSON.stringify([parameters, responses]);
      return /idempotencyKey|Idempotent-Replayed|IdempotencyMismatch/.test(text)
        ? [method.toUpperCase()]
        : [];
    }),
  );
  expect([...new Set(methods)].sort()).toEqual([...body.features.idempotencyKey.methods].sort());
});

it("tells wherever it asks for the ext_id of a person where that is found, and that is where it is", async () => {
  const { schemas } = document.components;
  const asked = [
    schemas.EnrollmentRequest.properties.registrant_ext_id,
    dataOf(document, "edit_farmer").properties.registrant_ext_id,
    dataOf(document, "create_farm").properties.registrant_ext_id,
    schemas.Registrant.properties.ext_id,
  ];
  for (const { description } of asked) expect(description).toContain("`key` of its items in `$changes`");
  expect(schemas.FeedItem.properties.key.description).toContain("`ext_id`");
  const { body } = await service.call({ path: "/$changes" });
  const { key } = body.data.find(({ reference }: { reference: string }) => reference.endsWith("nid|2"));
  expect((await service.call({ path: `/registry/registrant/${key}` })).body.data.ext_id).toBe(key);
});

it("says what a version of 0 in a feed means", () => {
  expect(document.components.schemas.FeedItem.properties.versionId.description).toContain("`0`");
});
