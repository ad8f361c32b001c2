import { type Html, html, inline } from "../openapi/html.ts";

/** Where {@link migrationGuide} is on the page of the interface. */
export const migrationAnchor = "from-v1-to-v2";

/** What changed, area by area: specification, "Versioning" 3, with the words of this interface. */
const changes: readonly (readonly [area: string, v1: string, v2: string])[] = [
  ["Path prefix", "`/api/v1/g2p/*`", "`/api/v2/*`, with the same paths below it"],
  [
    "Record addressing",
    "integers of the database: `id`, `program_id`, `registrant_id`",
    "UUIDs: `ext_id`, `program_ext_id`, `registrant_ext_id`; `id` is not returned",
  ],
  ["Model names", "`g2p.registrant`", "another prefix, in `model` and `registrant_model` alike"],
  ["Authentication", "HTTP Basic or a session", "OAuth 2.0 bearer tokens with scopes, from `/oauth2/token`"],
  ["List response", "a bare array", "an object with `data` and `pagination`"],
  [
    "Pagination",
    "`limit` and `offset`",
    "`limit` and `cursor`, which is the page's `pagination.next_cursor`",
  ],
  [
    "Change requests",
    "an endpoint for each type of change",
    "`POST /change_request` for all, with `type` and `data`",
  ],
  ["Errors", "`error` and `error_code`", "problem details (RFC 9457): `type`, `title`, `status`, `detail`"],
];

const paths: readonly string[] = [
  "registry/registrant",
  "programs",
  "programs/<id>/enroll",
  "programs/<id>/cycles",
  "entitlements",
  "entitlements/<id>/approve",
];

/** The section that {migration_url} leads to, where a deployment names no guide of its own. */
export const migrationGuide: Html = html`<section id="${migrationAnchor}"><h2>From V1 to V2</h2>
<p>${inline("The endpoints of version 1 below `/api/v1/g2p/` end on 31 December 2026. A server may let them answer until then, with the headers `Deprecation`, `Sunset` and `Link`; one that does not answers 410. Version 2 has the same records at the same sub-paths:")}</p>
<ul class="plain">${paths.map((path) => html`<li><code>/api/v1/g2p/${path}</code> becomes <code>/api/v2/${path.replace("<id>", "<ext_id>")}</code></li>`)}</ul>
<dl>${changes.map(([area, v1, v2]) => html`<dt><strong>${area}</strong></dt><dd><p>V1: ${inline(v1)}.</p><p>V2: ${inline(v2)}.</p></dd>`)}</dl>
<p>${inline("Integers of version 1 are no part of a UUID. Find a record by what both versions show, such as its name and birthdate, or read it once from each list, and keep its `ext_id`. `Idempotency-Key` is understood by both.")}</p>
</section>`;
