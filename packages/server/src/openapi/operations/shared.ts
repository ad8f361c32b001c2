import { pageSize } from "@fieldroll/core";
import type { DocumentContext } from "../context.ts";
import { examplesOf } from "../examples.ts";
import { type Examples, example, type OperationNotes } from "../operation.ts";
import { queryParameter } from "../parameters.ts";
import { ref } from "../schema.ts";

const tag = "Several at once";

/** Bundles and feeds: contract section 5. */
export const sharedNotes: OperationNotes<"batch" | "changes"> = {
  batch: (_route, context) => ({
    tag,
    description:
      "Up to 100 requests in one. `transaction`: all or nothing; a failure is answered with its problem, whose member `entry` says which it was, but for a duplicate of a restricted caller. `batch`: each entry for itself, later ones see earlier ones, and each has its own status. Placeholders `urn:uuid:…` (an entry's `fullUrl`) may be referred to in any order. Each entry needs the scope of its own request.",
    parameters: ["elements", "extensions", "idempotencyKey", "clockSkew", "purpose"],
    body: { schema: ref("Bundle"), examples: bundles(context) },
    answers: {
      200: {
        description: "What became of each entry.",
        schema: ref("BundleAnswer"),
        examples: bundleAnswers(context),
        headers: ["Idempotent-Replayed"],
      },
    },
    problems: [
      "conflict",
      "duplicate",
      "invalid-state",
      "not-found",
      "precondition-required",
      "method-not-allowed",
    ],
  }),
  changes: (_route, context) => ({
    tag,
    description:
      "What changed since the cursor, compacted to the newest state of each record. No committed change is ever passed over. A cursor holds for months, for its own feed and the same caller's view. When `epoch` is another than before, the server's data was restored: start over without a cursor.",
    parameters: [
      queryParameter("feed", {
        description:
          "`all` (default), `programs`, or `area:<country>/<state>/<city>` with each shorter prefix; a deployment may have others.",
        example: "area:PH/Cavite/Imus",
      }),
      "cursor",
      queryParameter("limit", {
        description: "Largest number of items.",
        schema: { type: "integer", minimum: 1, maximum: pageSize.max, default: pageSize.default },
      }),
      "elements",
      "extensions",
      "purpose",
    ],
    answers: {
      200: {
        description: "The changes, and the cursor to come back with.",
        schema: ref("FeedPage"),
        examples: feedPages(context),
      },
    },
  }),
};

function bundles({ namespace }: DocumentContext): Examples {
  const { personBody, groupBody, role } = examplesOf(namespace);
  const placeholder = "urn:uuid:7f9f1f0e-1f53-4e0b-9a3c-9d6f9c1f5b11";
  const member = [{ entity: { reference: placeholder }, role: role("head") }];
  return example(
    {
      resourceType: "Bundle",
      type: "transaction",
      entry: [
        { request: { method: "POST", url: "Group" }, resource: { ...groupBody, member } },
        { fullUrl: placeholder, request: { method: "POST", url: "Individual" }, resource: personBody },
      ],
    },
    "A household and its head, in one step",
  );
}

function bundleAnswers({ namespace, baseUrl }: DocumentContext): Examples {
  const { group, person, groupReference, personReference } = examplesOf(namespace);
  const created = (reference: string) => ({ status: 201, location: `${baseUrl}/${reference}`, etag: '"1"' });
  return example({
    resourceType: "Bundle",
    type: "transaction-response",
    entry: [
      { response: created(groupReference), resource: group },
      { response: created(personReference), resource: person },
    ],
  });
}

function feedPages({ namespace }: DocumentContext): Examples {
  const { person, personReference, extId } = examplesOf(namespace);
  return example({
    data: [
      {
        type: "Individual",
        reference: personReference,
        key: extId,
        versionId: "1",
        change: "upsert",
        record: person,
        photo: false,
      },
      {
        type: "Individual",
        reference: "Individual/urn:gov:ph:nid|654321",
        key: "018f3c5e-7a1b-7c2d-8e3f-4a5b6c7d8eb0",
        versionId: "4",
        change: "removed",
        reason: "left-feed",
      },
    ],
    pagination: { next_cursor: "eyJhIjoxfQ.4f1c", has_more: false },
    epoch: "018f3c5e-0000-7000-8000-000000000001",
  });
}
