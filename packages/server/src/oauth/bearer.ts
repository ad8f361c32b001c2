/** The token of `Authorization: Bearer <token>` (RFC 6750 section 2.1); `undefined` when there is none to look at. */
export function bearerToken(header: string | null): string | undefined {
  return /^Bearer +([\w.~+/-]+=*) *$/i.exec(header ?? "")?.[1];
}

/** The `WWW-Authenticate` of a refusal (RFC 6750 section 3): without a token it names no error. */
export function challenge(token: string | undefined): string {
  const realm = 'Bearer realm="fieldroll"';
  if (token === undefined) return realm;
  return `${realm}, error="invalid_token", error_description="The access token is unknown, malformed or expired"`;
}
