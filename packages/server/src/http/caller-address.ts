import { isWithin, type Network, parseIp, parseNetwork } from "./network-address.ts";

/** Finds a caller's network address, given the address of the connection and the headers that proxies add. */
export type CallerAddress = (peer: string | undefined, headers: Headers) => string | undefined;

/**
 * Makes the rule for a deployment behind proxies. `Forwarded` (RFC 7239) and `X-Forwarded-For` are read from trusted proxies
 * only: from right to left, the first address that is not a trusted proxy is the caller's. A hop that is no address, and two
 * headers that disagree, give the address of the connection: a caller may have written them.
 *
 * @param trustedProxies addresses and networks, such as `10.0.0.0/8`
 * @param onUntrusted called once, at the first of these headers that is not read because its sender is no trusted proxy
 */
export function createCallerAddress(
  trustedProxies: readonly string[],
  onUntrusted: () => void = () => {},
): CallerAddress {
  const networks = trustedProxies.flatMap((text) => parseNetwork(text) ?? []);
  let hasTold = false;
  const noteUnread = (headers: Headers) => {
    if (hasTold || !(headers.has("Forwarded") || headers.has("X-Forwarded-For"))) return;
    hasTold = true;
    onUntrusted();
  };
  return (peer, headers) => {
    if (peer === undefined) return peer;
    if (!isTrusted(networks, peer)) {
      noteUnread(headers);
      return peer;
    }
    const forwarded = callerIn(headers.get("Forwarded"), forwardedFor, networks);
    const listed = callerIn(headers.get("X-Forwarded-For"), withoutPort, networks);
    const agree = forwarded === "absent" || listed === "absent" || forwarded === listed;
    const found = forwarded === "absent" ? listed : forwarded;
    return !agree || found === "absent" ? peer : (found ?? peer);
  };
}

function isTrusted(networks: readonly Network[], address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && networks.some((network) => isWithin(network, ip));
}

/**
 * The right-most hop that is no trusted proxy; of a chain of trusted proxies alone, its left end. `undefined` where a hop before
 * it is no address.
 */
function callerIn(
  header: string | null,
  addressIn: (hop: string) => string | undefined,
  networks: readonly Network[],
): string | "absent" | undefined {
  if (header === null) return "absent";
  let address: string | undefined;
  for (const hop of header.split(",").reverse()) {
    address = addressIn(hop);
    if (address === undefined || !isTrusted(networks, address)) break;
  }
  return address;
}

/** The address of one element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`. */
function forwardedFor(element: string): string | undefined {
  const nodes = element.split(";").flatMap((pair) => {
    const [whole, quoted, bare = ""] = /^for=(?:"([^"]*)"|([^"]*))$/i.exec(pair.trim()) ?? [];
    return whole === undefined ? [] : [quoted ?? bare];
  });
  return nodes.length === 1 ? withoutPort(nodes[0] ?? "") : undefined;
}

/** The address of `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]` or `[2001:db8::1]:80`. */
function withoutPort(node: string): string | undefined {
  const text = node.trim();
  const [, bracketed, dotted] = /^(?:\[([^\]]*)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  const address = bracketed ?? dotted ?? text;
  return parseIp(address) === undefined ? undefined : address;
}
