import { describe, expect, it } from "vitest";
import { parseServeOptions, type RawServeOptions } from "./serve-options.ts";

const raw: RawServeOptions = { port: "8080", host: "127.0.0.1", database: "memory:", programs: true };

describe("parseServeOptions", () => {
  it("reads what is given and leaves out what is not", () => {
    expect(parseServeOptions(raw)).toEqual({
      port: 8080,
      host: "127.0.0.1",
      database: { kind: "memory" },
      makeFolders: false,
      programs: true,
      v1: "gone",
      withoutConsent: "hide",
      restrictedWrites: [],
      oneHousehold: false,
      trusted: [],
      trustedProxies: [],
      rateLimit: { perSecond: 100, burst: 1000 },
      compress: true,
      retention: {},
      demo: false,
    });
    const given = {
      ...raw,
      port: "0",
      database: "sqlite:./a.db",
      create: true,
      clients: "c.json",
      app: "dist",
      publicUrl: "https://Registry.example.org/",
      allowOrigin: ["https://App.example.org/", "http://127.0.0.1:9393"],
      v1: "warn",
      migrationUrl: "https://example.org/guide",
      withoutConsent: "identifiers",
      restrictedWrites: ["active"],
      trustIssuer: ["https://login.example.org/realm"],
      audience: "registry",
      issuerKeys: ["https://keys.example.org/set?v=1"],
      trustedProxy: ["10.0.0.0/8", "::1"],
      rateLimit: "50/200",
      compress: "off",
      oneHousehold: true,
      keepReads: "365",
      keepChanges: "3650",
      demo: true,
    };
    expect(parseServeOptions(given)).toMatchObject({
      port: 0,
      database: { kind: "sqlite", path: "./a.db" },
      makeFolders: true,
      clientsFile: "c.json",
      appFolder: "dist",
      publicUrl: "https://registry.example.org",
      cors: { origins: ["https://app.example.org", "http://127.0.0.1:9393"] },
      v1: "warn",
      migrationUrl: "https://example.org/guide",
      withoutConsent: "identifiers",
      restrictedWrites: ["active"],
      oneHousehold: true,
      trusted: [
        {
          issuer: "https://login.example.org/realm",
          audience: "registry",
          jwksUri: "https://keys.example.org/set?v=1",
        },
      ],
      trustedProxies: ["10.0.0.0/8", "::1"],
      rateLimit: { perSecond: 50, burst: 200 },
      compress: false,
      retention: { reads: 365, changes: 3650 },
      demo: true,
    });
  });

  it("lets every origin in where one of them is *", () => {
    expect(parseServeOptions({ ...raw, allowOrigin: ["*"] }).cors).toEqual({ origins: "*" });
  });

  it("reads a limit without a burst, and none", () => {
    expect(parseServeOptions({ ...raw, rateLimit: "50" }).rateLimit).toEqual({ perSecond: 50, burst: 500 });
    expect(parseServeOptions({ ...raw, rateLimit: "off" }).rateLimit).toBe("off");
  });

  const refused: readonly (readonly [string, Partial<RawServeOptions>, string])[] = [
    ["a port that is none", { port: "80a" }, "--port 80a"],
    [
      "another origin with a path",
      { allowOrigin: ["https://a.example/app"] },
      "--allow-origin https://a.example/app",
    ],
    ["a port above 65535", { port: "65536" }, "--port 65536"],
    ["a negative port", { port: "-1" }, "--port -1"],
    ["an unknown database", { database: "mysql://x" }, "sqlite:<path>"],
    ["SQLite without a path", { database: "sqlite:" }, "sqlite:<path>"],
    ["a PostgreSQL database that is no URL", { database: "postgres://a b:c" }, "that is no URL"],
    ["no number of connections", { database: "postgres://x/y?connections=many" }, "connections=many"],
    ["a misspelt option of a database", { database: "postgres://x/y?shema=z" }, "no ?shema="],
    ["a wish that is neither", { database: "postgres://x/y?prepared=maybe" }, "prepared=maybe"],
    ["an unknown mode of V1", { v1: "on" }, "--v1 on: must be warn or gone or off"],
    ["an unknown policy", { withoutConsent: "show" }, "--without-consent show"],
    ["a member that is not restricted", { restrictedWrites: ["active", "name"] }, "--restricted-writes name"],
    ["a guide's address that breaks a header", { migrationUrl: "https://a/<b>" }, "--migration-url"],
    ["a trusted issuer without an audience", { trustIssuer: ["https://a.example.org"] }, "--audience"],
    ["an audience without an issuer", { audience: "a" }, "--trust-issuer"],
    [
      "a trusted issuer that anybody on the way could be",
      { trustIssuer: ["http://a.example.org"], audience: "a" },
      "https",
    ],
    [
      "a trusted issuer with a query",
      { trustIssuer: ["https://a.example/?b"], audience: "a" },
      "exactly as its tokens",
    ],
    ["keys of no issuer", { issuerKeys: ["https://a.example/keys"] }, "--trust-issuer"],
    [
      "keys of one issuer of two",
      {
        trustIssuer: ["https://a.example", "https://b.example"],
        audience: "a",
        issuerKeys: ["https://a.example/keys"],
      },
      "one address for each",
    ],
    [
      "keys that anybody on the way could change",
      { trustIssuer: ["https://a.example"], audience: "a", issuerKeys: ["http://a.example/keys"] },
      "--issuer-keys http://a.example/keys",
    ],
    ["a proxy by its name", { trustedProxy: ["proxy"] }, "--trusted-proxy proxy"],
    ["no requests at all", { rateLimit: "0" }, "--rate-limit 0"],
    ["a limit that is none", { rateLimit: "100/0" }, "--rate-limit 100/0"],
    ["a public address with a path", { publicUrl: "https://example.org/registry" }, "--public-url"],
    ["a public address that is none", { publicUrl: "registry.example.org" }, "--public-url"],
    ["a public address of another scheme", { publicUrl: "ftp://example.org" }, "--public-url"],
    ["reads kept for no time", { keepReads: "0" }, "--keep-reads 0: must be a number of days, at least 1"],
    ["a time that is none", { keepReads: "a year" }, "--keep-reads a year"],
    ["changes kept for less than tablets are away", { keepChanges: "179" }, "at least 180"],
    ["compression that is neither", { compress: "gzip" }, "--compress gzip: must be on or off"],
    ["a demonstration without programs", { demo: true, programs: false }, "--no-programs"],
  ];
  it.each(refused)("refuses %s", (_case, options, message) => {
    expect(() => parseServeOptions({ ...raw, ...options })).toThrow(message);
  });
});
