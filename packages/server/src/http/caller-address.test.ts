import { describe, expect, it } from "vitest";
import { createCallerAddress } from "./caller-address.ts";
import { parseIp, parseNetwork, subscriberOf } from "./network-address.ts";

type Case = readonly [
  name: string,
  peer: string | undefined,
  headers: Record<string, string>,
  address: unknown,
];
const proxy = "10.0.0.1";
const client = "203.0.113.9";
const forwardedFor = (value: string) => ({ "X-Forwarded-For": value });
const forwarded = (value: string) => ({ Forwarded: value });

describe("the address of a caller behind trusted proxies", () => {
  const of = createCallerAddress(["10.0.0.0/8", "fd00::/8", "192.0.2.7"]);
  it.each<Case>([
    ["is that of the connection without a header", proxy, {}, proxy],
    ["is unknown where the listener does not know it", undefined, forwardedFor(client), undefined],
    [
      "is that of an untrusted connection, whatever it says",
      "198.51.100.1",
      forwardedFor(client),
      "198.51.100.1",
    ],
    ["is what a trusted proxy says", proxy, forwardedFor(client), client],
    [
      "is what a trusted proxy at an IPv4-mapped address says",
      "::ffff:10.0.0.1",
      forwardedFor(client),
      client,
    ],
    [
      "is what a trusted proxy at an IPv6 address with a zone says",
      "fd00::5%eth0",
      forwardedFor(client),
      client,
    ],
    ["is what a single trusted address says", "192.0.2.7", forwardedFor(client), client],
    ["is not what a neighbour of that address says", "192.0.2.8", forwardedFor(client), "192.0.2.8"],
    ["is the right-most untrusted hop", proxy, forwardedFor(`1.1.1.1, ${client}, 10.9.9.9`), client],
    ["is not what the caller wrote left of it", proxy, forwardedFor(`nonsense, ${client}`), client],
    ["is the left end of a chain of trusted proxies", proxy, forwardedFor("10.3.3.3, 10.2.2.2"), "10.3.3.3"],
    ["goes without the port", proxy, forwardedFor(`${client}:4711`), client],
    ["may be IPv6", proxy, forwardedFor("2001:db8::9"), "2001:db8::9"],
    ["may be IPv6 in brackets with a port", proxy, forwardedFor("[2001:db8::9]:4711"), "2001:db8::9"],
    ["is the connection's where the hop is malformed", proxy, forwardedFor(`${client}, who?`), proxy],
    ["is the connection's where the hop is empty", proxy, forwardedFor(`${client},`), proxy],
    ["is the connection's where the header is empty", proxy, forwardedFor(""), proxy],
    ["is read from Forwarded", proxy, forwarded(`for=${client};proto=https`), client],
    ["is read from Forwarded whatever the case", proxy, forwarded(`Proto=https; For="${client}:80"`), client],
    [
      "is read from Forwarded with IPv6",
      proxy,
      forwarded('for="[2001:db8::9]:4711";by=10.0.0.1'),
      "2001:db8::9",
    ],
    [
      "is the right-most untrusted of Forwarded",
      proxy,
      forwarded(`for=1.1.1.1, for=${client}, for=10.2.2.2`),
      client,
    ],
    [
      "is not hidden by an open quotation mark of the caller's",
      proxy,
      forwarded(`for="x, for=${client}`),
      client,
    ],
    ["is the connection's where Forwarded hides it", proxy, forwarded("for=_hidden"), proxy],
    ["is the connection's where Forwarded does not know it", proxy, forwarded("for=unknown"), proxy],
    [
      "is the connection's where an element has it twice",
      proxy,
      forwarded(`for=${client};for=1.1.1.1`),
      proxy,
    ],
    ["is the connection's where Forwarded lacks it", proxy, forwarded("proto=https"), proxy],
    ["is what both headers say", proxy, { ...forwarded(`for=${client}`), ...forwardedFor(client) }, client],
    [
      "is the connection's where they differ",
      proxy,
      { ...forwarded("for=1.1.1.1"), ...forwardedFor(client) },
      proxy,
    ],
    [
      "is the connection's where one is malformed",
      proxy,
      { ...forwarded("for=?"), ...forwardedFor(client) },
      proxy,
    ],
  ])("%s", (_name, peer, headers, address) => {
    expect(of(peer, new Headers(headers))).toBe(address);
  });

  it("is that of the connection where no proxy is trusted", () => {
    expect(createCallerAddress([])(proxy, new Headers(forwardedFor(client)))).toBe(proxy);
  });
});

it.each<[string, bigint | undefined]>([
  ["1.2.3.4", 0xffff01020304n],
  ["::ffff:1.2.3.4", 0xffff01020304n],
  ["::FFFF:0102:0304", 0xffff01020304n],
  ["::", 0n],
  ["1::", 1n << 112n],
  ["1:2:3:4:5:6:7:8", 0x00010002000300040005000600070008n],
  ...[
    "",
    "1.2.3",
    "1.2.3.256",
    "01.2.3.4",
    "1.2.3.4.5",
    "1:2",
    ":::",
    "1::2::3",
    "g::",
    "1:2:3:4:5:6:7:8:9",
  ].map((text): [string, undefined] => [text, undefined]),
  ["::1.2.3", undefined],
  ["1:2:3:4:5:6:7::8", undefined],
])("reads %s", (text, bits) => {
  expect(parseIp(text)).toBe(bits);
});

it.each(["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "::/129", "example.org", "10.0.0.0/-1"])(
  "takes %s for no network",
  (text) => expect(parseNetwork(text)).toBeUndefined(),
);

it("counts the addresses of an IPv6 network of 64 bits as one, and IPv4 addresses one by one", () => {
  expect(subscriberOf("2001:db8:1:2:aaaa::1")).toBe(subscriberOf("2001:db8:1:2::"));
  expect(subscriberOf("2001:db8:1:3::")).not.toBe(subscriberOf("2001:db8:1:2::"));
  expect(subscriberOf("::ffff:10.0.0.1")).toBe(subscriberOf("10.0.0.1"));
  expect(subscriberOf("10.0.0.2")).not.toBe(subscriberOf("10.0.0.1"));
  expect(subscriberOf("elsewhere")).toBe("elsewhere");
});

it("reads a hop of blanks in a time that its length tells", () => {
  const of = createCallerAddress(["10.0.0.0/8"]);
  const hop = `for=${" ".repeat(500_000)}"`;
  const before = performance.now();
  expect(of(proxy, new Headers(forwarded(hop)))).toBe(proxy);
  expect(performance.now() - before).toBeLessThan(2_000);
});

describe("a header that no trusted proxy sent", () => {
  const from = (peer?: string, ...trusted: readonly string[]) => ({ peer, trusted });
  type Sent = ReturnType<typeof from>;
  it.each<[string, Sent, readonly Record<string, string>[], number]>([
    ["is told of", from(client), [forwardedFor(client)], 1],
    ["is told of where another proxy is trusted", from(client, proxy), [forwarded(`for=${client}`)], 1],
    ["is told of once", from(client), [forwardedFor(client), forwarded("for=x"), forwardedFor("x")], 1],
    ["is told of after requests without one", from(client), [{}, forwardedFor(client)], 1],
    ["is not told of where it is not there", from(client), [{}, {}], 0],
    ["is not told of where its proxy is trusted", from(proxy, proxy), [forwardedFor(client)], 0],
    ["is not told of where nobody knows the sender", from(), [forwardedFor(client)], 0],
  ])("%s", (_name, { peer, trusted }, requests, expected) => {
    let told = 0;
    const of = createCallerAddress(trusted, () => void told++);
    for (const headers of requests) of(peer, new Headers(headers));
    expect(told).toBe(expected);
  });
});
