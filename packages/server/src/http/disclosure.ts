import { type Disclosure, type Outcome, success } from "@fieldroll/core";
import { entityTag, hasVersion } from "./preconditions.ts";
import { asciiOnly } from "./written.ts";

/** Under which right a record is shown, as headers: contract section 3.7. */
export function disclosureHeaders({ status, scope, expires }: Disclosure): Readonly<Record<string, string>> {
  return {
    "X-Consent-Status": status,
    "X-Consent-Scope": scope.map(asciiOnly).join(","),
    ...(expires === undefined ? {} : { "X-Consent-Expires": expires }),
  };
}

/** The entity tag of a version that is told. */
export function tagOf(versionId: string): Readonly<Record<string, string>> {
  return versionId === "" ? {} : { ETag: entityTag(versionId) };
}

/**
 * Whether the reader already has this version. Consents show more or less of a version without a new one: `X-Record-Shows` of the
 * 304 tells what is shown by now.
 */
export function isKnownVersion({ headers }: Request, versionId: string): Outcome<boolean> {
  const known = hasVersion(headers.get("If-None-Match"), versionId);
  return known.ok ? success(known.value && versionId !== "") : known;
}
