import type { DocumentContext } from "./context.ts";
import { originOf } from "./context.ts";
import { type Html, html, inline } from "./html.ts";
import { type Step, workedExamples } from "./worked-examples.ts";

/** Where {@link firstSteps} is on the page of the interface. */
export const firstStepsAnchor = "first-steps";

/** From a token to a feed of changes, in commands that work as they are printed, one after the other in one shell. */
export function firstSteps(context: DocumentContext): Html {
  const steps = stepsOf(context).map(
    ({ title, says, commands }) =>
      html`<li><h3>${title}</h3><p>${inline(says)}</p><pre class="shell" tabindex="0"><code>${commands}</code></pre></li>`,
  );
  return html`<section id="${firstStepsAnchor}"><h2>First steps</h2><ol>${steps}</ol></section>`;
}

function stepsOf(context: DocumentContext): readonly Step[] {
  return [
    tokenStep(context),
    {
      title: "Read",
      says: "Lists come a page at a time. `links.next` leads to the page after it, and search parameters narrow it: those of each type are below.",
      commands: `curl -s "$api/Individual?limit=2" -H "Authorization: Bearer $token"`,
    },
    {
      title: "Create",
      says: "A record needs an identifier of yours, by which it is found from now on. The answer is 201 with the record and its `ETag`; the same identifier a second time is a 409 that says so.",
      commands: `curl -si "$api/Individual" -H "Authorization: Bearer $token" -H 'Content-Type: application/json' \\
  -d '{"type":"Individual","identifier":[{"system":"urn:example:id","value":"4711"}],"name":{"family":"Reyes"}}'`,
    },
    {
      title: "Change what you have read",
      says: "A change names the version it was made from: the `ETag` of the record, sent back in `If-Match`. If somebody changed the record meanwhile, the answer is 409 and nothing is written: read it again, and decide.",
      commands: `person="$api/Individual/urn:example:id|4711"
etag=$(curl -si "$person" -H "Authorization: Bearer $token" | tr -d '\\r' | sed -n 's/^etag: //Ip')
curl -s -X PATCH "$person" -H "Authorization: Bearer $token" -H "If-Match: $etag" \\
  -H 'Content-Type: application/merge-patch+json' -d '{"birthDate":"1988-04-02"}'`,
    },
    ...workedExamples(context),
  ];
}

function tokenStep(context: DocumentContext): Step {
  const { baseUrl, exampleClient } = context;
  const { id, secret } = exampleClient ?? { id: "your-client-id", secret: "your-client-secret" };
  const whose = exampleClient
    ? "This server is a demonstration, so its client is everybody's."
    : "The id and the secret of your client come from whoever runs this server.";
  return {
    title: "Get a token",
    says: `${whose} A token is good for an hour; then get another one the same way.`,
    commands: `api=${baseUrl}
token=$(curl -s ${originOf(context)}/oauth2/token -d grant_type=client_credentials \\
  -d ${quoted(`client_id=${id}`)} -d ${quoted(`client_secret=${secret}`)} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
  };
}

/** A word of a shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w=.-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}
