/** What `Authorization: Basic` says (RFC 7617), before anybody knows whether it is right. */
export interface BasicCredentials {
  readonly user: string;
  readonly password: string;
}

/** Reads HTTP Basic credentials in UTF-8; `undefined` without the header, `"malformed"` when it is something else. */
export function readBasic(header: string | null): BasicCredentials | "malformed" | undefined {
  if (header === null) return undefined;
  const encoded = /^Basic +([A-Za-z0-9+/_-]+=*) *$/i.exec(header)?.[1];
  if (encoded === undefined) return "malformed";
  try {
    const bytes = Uint8Array.from(atob(encoded), (char) => char.charCodeAt(0));
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    const colon = text.indexOf(":");
    if (colon === -1) return "malformed";
    return { user: text.slice(0, colon), password: text.slice(colon + 1) };
  } catch {
    return "malformed";
  }
}
