import { consentStatuses, type JsonObject, organizationTypes, pageSize } from "@fieldroll/core";
import {
  date,
  instant,
  listOf,
  nullable,
  object,
  oneWord,
  ref,
  type Schema,
  text,
  truth,
  uuid,
  wholeNumber,
} from "./schema.ts";

/** Where the next page is: specification, "Pagination". */
const pagination = object(
  {
    next_cursor: nullable(text("Send it as `cursor` to go on; null at the end.")),
    has_more: truth("Whether there is more, however short or empty this page is."),
  },
  { description: "Where the next page is." },
);

const links = object({
  self: text("Address of this page."),
  next: nullable(text("Address of the next page; null at the end.")),
});

const resourceTypeNames = ["Individual", "Group", "ProgramMembership", "all"];

const consentScope = object(
  {
    resourceType: oneWord(resourceTypeNames, "The type of record it is about."),
    fieldAccess: oneWord(
      ["all", "basic", "custom"],
      "`all` core fields; `basic`: type, identifier, name, active, meta; `custom`: type, identifier and `fields`.",
    ),
    fields: listOf(text("A member, or one dotted level."), "With `custom`."),
    extensions: listOf(
      text("Name of an extension."),
      "None is shown without being listed, also under `all`.",
    ),
  },
  { optional: ["fields", "extensions"], description: "What a person allows to be shown." },
);

const consent = object(
  {
    id: uuid("The consent's id."),
    type: { const: "Consent" },
    status: oneWord(consentStatuses, "As it is today: after its last day a consent reads `expired`."),
    subject: object(
      { reference: text("`Individual/…` or `Group/…`."), display: text("The subject's name.") },
      { optional: ["display"], description: "Whose data it is about." },
    ),
    grantee: object(
      {
        organization: text("One organization."),
        organizationType: oneWord(organizationTypes, "Every organization of a type."),
      },
      { optional: ["organization", "organizationType"], description: "Who may see." },
    ),
    scope: listOf(ref("ConsentScope")),
    purpose: text("What for; without one, for any purpose."),
    legalBasis: text("The legal basis."),
    effectiveDate: date("First day."),
    expiryDate: date("Last day."),
    collectionMethod: oneWord(["written", "verbal", "electronic", "biometric"], "How it was given."),
    evidence: text("Proof of it. Not shown to restricted callers; erased when the consent is deleted."),
    revocation: object(
      { date: text("When."), by: text("By which client, as a URN."), reason: text("Why.") },
      { optional: ["reason"], description: "How it was withdrawn." },
    ),
    meta: ref("Meta"),
  },
  {
    optional: [
      "purpose",
      "legalBasis",
      "effectiveDate",
      "expiryDate",
      "collectionMethod",
      "evidence",
      "revocation",
    ],
    description: "What a person, or a group, allows to be shown to whom.",
  },
);

const anything: Schema = { description: "Any value of JSON." };

const history = object(
  {
    data: listOf(
      object(
        {
          versionId: text("The version that the change made."),
          at: instant("When (UTC)."),
          source: text("Which client, as a URN."),
          action: oneWord(["create", "change"], "What was done."),
          changes: listOf(
            object(
              { field: text("JSON pointer."), before: anything, after: anything },
              { optional: ["before", "after"] },
            ),
            "What changed, as far as you may see it.",
          ),
          clockSkew: wholeNumber(
            "By how many seconds the author's clock was ahead, where its dates were corrected.",
          ),
        },
        { optional: ["clockSkew"] },
      ),
    ),
    pagination: ref("Pagination"),
    complete: {
      const: false,
      description:
        "Present on the last page where the record had earlier versions that the registry keeps no longer, or that one request can't reach.",
    },
  },
  { optional: ["complete"], description: "A page of the versions of a record, newest first." },
);

const feedItem = object(
  {
    type: oneWord(["Individual", "Group", "Program", "ProgramMembership"], "The type of record."),
    reference: text("The record's address at this version."),
    key: text(
      "The record's stable key, a UUID: the same at every change, also when its identifiers were replaced. It is the record's `ext_id` in the registry-style half: of a person it is what `registrant_ext_id` asks for.",
    ),
    versionId: text(
      "The record's version. `0` where you may not see it, since neither consents nor your own fields show you `meta`: then it says nothing of how often the record changed, and items of one `key` hold in the order in which they are told.",
    ),
    change: oneWord(["upsert", "removed"], "Whether it is in the feed now, or has left it."),
    record: { ...anyRecord(), description: "With `upsert`." },
    photo: truth(
      "With `upsert` of a person: whether there is a photo that you may see. The record itself has it with `_elements=photo` only.",
    ),
    keys: {
      type: "object",
      additionalProperties: { type: "string" },
      description:
        "With `upsert`, to a caller whom no consents bind: the keys of those whom the record refers to, by the reference there, but for programs and for identifiers that are made for one record. A number may be given to somebody else: who keeps a copy finds the one who is meant by this key, and may send it as `key` beside a reference.",
    },
    shows: {
      ...listOf(text("A field.")),
      description:
        "With `upsert`, where you are shown a part only: which, `all` core fields or each by name, and `extension` or `extension.<name>`. What is not among it is hidden, and may be there.",
    },
    reason: text("With `removed`: `left-feed`, `archived` or `consent`."),
  },
  {
    optional: ["record", "photo", "keys", "shows", "reason"],
    description: "The newest state of one record.",
  },
);

function anyRecord(): JsonObject {
  return { anyOf: ["Individual", "Group", "Program", "ProgramMembership"].map(ref) };
}

const feedPage = object(
  {
    data: listOf(ref("FeedItem")),
    pagination: object({
      next_cursor: text("Always given: come back with it, also after the end."),
      has_more: truth("Whether there is more now."),
    }),
    epoch: text("Changes when the server's data was restored: then start over without a cursor."),
  },
  { description: "A page of a change feed." },
);

const bundleAnswer = object(
  {
    resourceType: { const: "Bundle" },
    type: oneWord(["transaction-response", "batch-response"], "As asked."),
    entry: listOf(
      object(
        {
          response: object(
            {
              status: wholeNumber("The entry's HTTP status."),
              location: text("Address of what was written."),
              etag: text("Its version, in double quotes."),
              key: text(
                "The key of what was read or written, as the feed tells it; of a write, where the entry has an idempotency key.",
              ),
              shows: {
                ...listOf(text("A field.")),
                description: "What you are shown of it, where that is not all, as items of feeds have it.",
              },
            },
            { optional: ["location", "etag", "key", "shows"] },
          ),
          resource: {
            anyOf: [
              ...["Individual", "Group", "Program", "ProgramMembership", "Consent"].map(ref),
              ref("RecordPage"),
              ref("AnyProblem"),
            ],
            description: "The record or consent, the page of a search, or the problem of the entry.",
          },
        },
        { optional: ["resource"] },
      ),
      "One for each entry, in the same order.",
    ),
  },
  { description: "What became of each entry." },
);

/** A page of records of one type. */
export function pageOf(schema: Schema): Schema {
  return object(
    {
      data: listOf(schema),
      pagination: ref("Pagination"),
      links: ref("Links"),
      meta: object({ total: wholeNumber("How many records you would find in all; with `_total=accurate`.") }),
    },
    { optional: ["meta"], description: "One page of a search." },
  );
}

/** The schemas that are no records. */
export const serviceSchemas: Readonly<Record<string, Schema>> = {
  Pagination: pagination,
  Links: { ...links, description: `Pages hold up to ${pageSize.max} items.` },
  RecordPage: { ...pageOf(anyRecord()), required: ["data", "pagination"] },
  Consent: consent,
  ConsentScope: consentScope,
  History: history,
  FeedItem: feedItem,
  FeedPage: feedPage,
  BundleAnswer: bundleAnswer,
};
