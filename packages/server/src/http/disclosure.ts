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
 * Whether the reader already has what it would get. What consents show changes without a new version, so callers bound by them always
 * get the record.
 */
export function isKnownVersion(
  { headers }: Request,
  versionId: string,
  { status }: Disclosure,
): Outcome<boolean> {
  const known = hasVersion(headers.get("If-None-Match"), versionId);
  return known.ok ? success(known.value && versionId !== "" && status === "legal_basis") : known;
}
