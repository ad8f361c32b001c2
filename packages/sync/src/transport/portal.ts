/**
 * The address by which a captive portal shows its page: the server's own, so that nobody else learns of the visit, and by http, since a
 * portal has no certificate for it. The service worker leaves it to the network.
 *
 * @param server root of the API, without a slash at its end
 */
export function portalLink(server: string): string {
  const link = new URL(`${server}/metadata`);
  if (link.protocol === "https:") {
    link.protocol = "http:";
    link.port = "";
  }
  return link.href;
}
