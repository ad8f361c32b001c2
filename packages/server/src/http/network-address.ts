/** A network of IP addresses, such as `10.0.0.0/8`. */
export interface Network {
  readonly first: bigint;
  /** Bits that differ within the network. */
  readonly freeBits: bigint;
}

const mappedPrefix = 0xffffn << 32n;

/**
 * The 128 bits of an IP address, or `undefined` for any other text. An IPv4 address and its IPv4-mapped IPv6 address
 * (RFC 4291 section 2.5.5.2) are the same. A zone such as `%eth0` is left out.
 */
export function parseIp(text: string): bigint | undefined {
  const address = text.replace(/%.*$/, "");
  const dotted = /(?:^|:)([\d.]+\.[\d.]+)$/.exec(address)?.[1];
  if (dotted === undefined) return parseGroups(address);
  const low = parseDotted(dotted);
  if (low === undefined) return undefined;
  if (dotted === address) return mappedPrefix | low;
  const groups = `${(low >> 16n).toString(16)}:${(low & 0xffffn).toString(16)}`;
  return parseGroups(address.slice(0, -dotted.length) + groups);
}

function parseDotted(text: string): bigint | undefined {
  const parts = text.split(".");
  // A leading zero would mean octal to some programs.
  if (parts.length !== 4 || !parts.every((part) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) < 256)) {
    return undefined;
  }
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseGroups(text: string): bigint | undefined {
  const halves = text.split("::").map((half) => (half === "" ? [] : half.split(":")));
  const [head = [], tail = []] = halves;
  const missing = 8 - head.length - tail.length;
  if (halves.length > 2 || (halves.length === 2 ? missing < 1 : missing !== 0)) return undefined;
  const groups = [...head, ...Array<string>(missing).fill("0"), ...tail];
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return groups.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Reads an address or a network in CIDR notation (RFC 4632); `undefined` for any other text. */
export function parseNetwork(text: string): Network | undefined {
  const [address = "", length, ...rest] = text.split("/");
  const first = parseIp(address);
  const bits = address.includes(":") ? 128 : 32;
  if (first === undefined || rest.length > 0) return undefined;
  if (length !== undefined && !(/^\d{1,3}$/.test(length) && Number(length) <= bits)) return undefined;
  return { first, freeBits: BigInt(bits - Number(length ?? bits)) };
}

export function isWithin({ first, freeBits }: Network, address: bigint): boolean {
  return address >> freeBits === first >> freeBits;
}

/**
 * The part of an address that one subscriber can't change at will: all of an IPv4 address, the first 64 bits of an IPv6
 * address. A text that is no address stays as it is.
 */
export function subscriberOf(address: string): string {
  const ip = parseIp(address);
  if (ip === undefined) return address;
  return ip >> 32n === mappedPrefix >> 32n ? ip.toString(16) : `${(ip >> 64n).toString(16)}/64`;
}
