import type { DocumentContext } from "./context.ts";

/** Something to do on the command line, and what to know about it. */
export interface Step {
  readonly title: string;
  /** What is to be known first; `code` stands in backticks. */
  readonly says: string;
  /** For a shell, after the steps before. */
  readonly commands: string;
}

const bearer = `-H "Authorization: Bearer $token"`;
const json = `-H 'Content-Type: application/json'`;

/** What is done with the person of the first steps, as far as the deployment has it: each goes on from those before. */
export function workedExamples(context: DocumentContext): readonly Step[] {
  const hasEnrollments = context.routes.some(
    ({ operation, resource }) => operation === "create" && resource === "ProgramMembership",
  );
  const hasGrants = context.changeRequestTypes.some(({ name }) => name === "grant_consent");
  return [
    householdStep(context),
    ...(hasEnrollments ? [enrollmentStep] : []),
    ...(hasGrants ? [consentStep] : []),
    feedStep,
  ];
}

function householdStep({ namespace }: DocumentContext): Step {
  const member = (value: string, role: string) =>
    `{"entity":{"reference":"Individual/urn:example:id|${value}"},"role":{"coding":[{"system":"urn:${namespace}:vocab:relationship","code":"${role}"}]}}`;
  return {
    title: "Make a household of two",
    says: "Its members are people who are there already, at most one of them the head. The person shows the household as `groupMembership`, which is derived. (`POST /$batch` makes people and household in one step, all or nothing.)",
    commands: `curl -s "$api/Individual" ${bearer} ${json} \\
  -d '{"type":"Individual","identifier":[{"system":"urn:example:id","value":"4712"}],"name":{"family":"Reyes","given":"Ben"}}'
curl -s "$api/Group" ${bearer} ${json} -d '{
  "type":"Group","identifier":[{"system":"urn:example:household","value":"HH-1"}],"groupType":"household","name":"Reyes","member":[
  ${member("4711", "head")},
  ${member("4712", "child")}]}'`,
  };
}

const enrollmentStep: Step = {
  title: "Enroll the household in a program",
  says: "Programs, their cycles, entitlements and funds are not made over HTTP: `fieldroll import`, or the program that the registry is built into, makes them. So look for a program for groups that is running, and enroll the household in it; a second time is a 409. `POST /programs/<ext_id>/enroll` does it with a person, whom you know by `ext_id`, and a program for persons.",
  commands: `program=$(curl -s "$api/Program?targetType=group&status=active&limit=1&_elements=identifier" ${bearer} \\
  | sed 's/.*"system":"\\([^"]*\\)","value":"\\([^"]*\\)".*/\\1|\\2/')
curl -s "$api/ProgramMembership" ${bearer} ${json} \\
  -d '{"type":"ProgramMembership","program":{"reference":"Program/'"$program"'"},"beneficiary":{"reference":"Group/urn:example:household|HH-1"},"status":"enrolled"}'`,
};

const consentStep: Step = {
  title: "Record a person's consent",
  says: "A consent is given by a change request, which is submitted, approved and applied; here one client does all three. The consent has the `ext_id` of the change request as its id. Keep that with the person: there is no list of a person's consents over HTTP, and without its id a consent can be neither read nor withdrawn (`POST /Consent/<id>/$revoke`).",
  commands: `consent=$(curl -s "$api/change_request" ${bearer} ${json} -d '{"type":"grant_consent","data":{
  "subject":{"reference":"Individual/urn:example:id|4711"},"grantee":{"organization":"Relief Now"},
  "scope":[{"resourceType":"Individual","fieldAccess":"custom","fields":["name","birthDate"]}],"purpose":"service_delivery"}}' \\
  | sed 's/.*"ext_id":"\\([^"]*\\)".*/\\1/')
curl -s -X POST "$api/change_request/$consent/\\$approve" ${bearer}
curl -s -X POST "$api/change_request/$consent/\\$apply" ${bearer}
curl -s "$api/Consent/$consent" ${bearer}`,
};

const feedStep: Step = {
  title: "Follow what changes",
  says: "Read the feed page by page to its end, and keep the last cursor, for months if need be. What it brings when you come back is what changed since: `upsert` is the newest state of a record, `removed` one to take out of your copy. `key` is the record's `ext_id`, and stays the same when its identifiers change. When `epoch` is another than before, start over without a cursor.",
  commands: `cursor= more=true
while [ "$more" = true ]; do
  page=$(curl -s "$api/\\$changes?limit=500\${cursor:+&cursor=$cursor}" ${bearer})
  cursor=$(printf %s "$page" | sed 's/.*"next_cursor":"\\([^"]*\\)".*/\\1/')
  more=$(printf %s "$page" | sed 's/.*"has_more":\\([a-z]*\\).*/\\1/')
done
curl -s "$api/Individual" ${bearer} ${json} \\
  -d '{"type":"Individual","identifier":[{"system":"urn:example:id","value":"4713"}],"name":{"family":"Reyes","given":"Carla"}}'
curl -s "$api/\\$changes?cursor=$cursor" ${bearer}`,
};
