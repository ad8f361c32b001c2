import type { Retention } from "@fieldroll/core";
import type { CrossOrigin } from "../http/cross-origin.ts";
import { parseNetwork } from "../http/network-address.ts";
import { type RateLimit, usualRateLimit } from "../http/rate-limit.ts";
import type { TrustedIssuer } from "../oauth/trusted-issuers.ts";
import { type Database, parseDatabase } from "./database.ts";
import { CommandRefusal } from "./refusal.ts";

/** Options of `fieldroll serve` as commander hands them over. */
export interface RawServeOptions {
  readonly port: string;
  readonly host: string;
  readonly database: string;
  readonly create?: boolean;
  readonly clients?: string;
  readonly app?: string;
  readonly load?: string;
  readonly publicUrl?: string;
  readonly allowOrigin?: readonly string[];
  readonly programs: boolean;
  readonly v1?: string;
  readonly migrationUrl?: string;
  readonly withoutConsent?: string;
  readonly restrictedWrites?: readonly string[];
  readonly oneHousehold?: boolean;
  readonly trustIssuer?: readonly string[];
  readonly audience?: string;
  readonly clientClaim?: string;
  readonly issuerKeys?: readonly string[];
  readonly trustedProxy?: readonly string[];
  readonly rateLimit?: string;
  readonly compress?: string;
  readonly keepReads?: string;
  readonly keepChanges?: string;
  readonly demo?: boolean;
}

const v1Modes = ["warn", "gone", "off"] as const;
const consentPolicies = ["hide", "identifiers"] as const;
const switches = ["on", "off"] as const;
const restrictedMembers = ["identifier", "active"] as const;

/** Options of `fieldroll serve`, checked. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly database: Database;
  /** Whether the folder of a database file is made where it is not there. */
  readonly makeFolders: boolean;
  readonly clientsFile?: string;
  readonly appFolder?: string;
  readonly loadFile?: string;
  /** Origin under which callers reach the server. */
  readonly publicUrl?: string;
  /** Pages of which origins may call the API, besides its own. */
  readonly cors?: CrossOrigin;
  readonly programs: boolean;
  readonly v1: (typeof v1Modes)[number];
  /** Address of the guide that V1's answers point at. */
  readonly migrationUrl?: string;
  readonly withoutConsent: (typeof consentPolicies)[number];
  /** What restricted callers may change as well. */
  readonly restrictedWrites: readonly (typeof restrictedMembers)[number][];
  /** Whether a person is an active member of one household at most. */
  readonly oneHousehold: boolean;
  readonly trusted: readonly TrustedIssuer[];
  /** Proxies that say where a request comes from. */
  readonly trustedProxies: readonly string[];
  readonly rateLimit: RateLimit | "off";
  /** Whether answers and the app's files are compressed. */
  readonly compress: boolean;
  /** How long audit entries are kept, in days; those of a kind that is not named, for good. */
  readonly retention: Retention;
  readonly demo: boolean;
}

/** Checks the options of `fieldroll serve`: docs/command-line.md. */
export function parseServeOptions(raw: RawServeOptions): ServeOptions {
  if (raw.demo && !raw.programs) {
    throw new CommandRefusal("--demo has enrollments in programs and can't go with --no-programs.");
  }
  return {
    port: parsePort(raw.port),
    host: raw.host,
    database: parseDatabase(raw.database),
    makeFolders: raw.create ?? false,
    ...filesOf(raw),
    ...(raw.publicUrl === undefined ? {} : { publicUrl: parseOrigin("--public-url", raw.publicUrl) }),
    ...(raw.allowOrigin === undefined ? {} : { cors: { origins: parseOrigins(raw.allowOrigin) } }),
    programs: raw.programs,
    v1: oneOf("--v1", raw.v1 ?? "gone", v1Modes),
    ...(raw.migrationUrl === undefined ? {} : { migrationUrl: parseAddress(raw.migrationUrl) }),
    withoutConsent: oneOf("--without-consent", raw.withoutConsent ?? "hide", consentPolicies),
    restrictedWrites: (raw.restrictedWrites ?? []).map((member) =>
      oneOf("--restricted-writes", member, restrictedMembers),
    ),
    oneHousehold: raw.oneHousehold === true || raw.demo === true,
    trusted: parseTrusted(raw),
    trustedProxies: (raw.trustedProxy ?? []).map(parseProxy),
    rateLimit: raw.rateLimit === undefined ? usualRateLimit : parseRateLimit(raw.rateLimit),
    compress: oneOf("--compress", raw.compress ?? "on", switches) === "on",
    retention: parseRetention(raw),
    demo: raw.demo ?? false,
  };
}

function filesOf({ clients, load, app }: RawServeOptions) {
  return {
    ...(clients === undefined ? {} : { clientsFile: clients }),
    ...(load === undefined ? {} : { loadFile: load }),
    ...(app === undefined ? {} : { appFolder: app }),
  };
}

function oneOf<T extends string>(option: string, value: string, values: readonly T[]): T {
  const found = values.find((known) => known === value);
  if (found !== undefined) return found;
  throw new CommandRefusal(`${option} ${value}: must be ${values.join(" or ")}.`);
}

function parseRetention({ keepReads, keepChanges }: RawServeOptions): Retention {
  return {
    ...(keepReads === undefined ? {} : { reads: parseDays("--keep-reads", keepReads, 1) }),
    ...(keepChanges === undefined ? {} : { changes: parseDays("--keep-changes", keepChanges, 180) }),
  };
}

function parseDays(option: string, text: string, least: number): number {
  const days = /^\d{1,6}$/.test(text) ? Number(text) : Number.NaN;
  if (days >= least) return days;
  const why = least > 1 ? ", for devices that were away are told what they lost by it" : "";
  throw new CommandRefusal(`${option} ${text}: must be a number of days, at least ${least}${why}.`);
}

function parseProxy(text: string): string {
  if (parseNetwork(text)) return text;
  throw new CommandRefusal(
    `--trusted-proxy ${text}: must be an address or a network, such as 10.0.0.7, 10.0.0.0/8 or fd00::/8.`,
  );
}

function parseRateLimit(text: string): RateLimit | "off" {
  if (text === "off") return text;
  const [, second, burst] = /^(\d{1,6})(?:\/(\d{1,7}))?$/.exec(text) ?? [];
  const perSecond = Number(second ?? 0);
  const atOnce = burst === undefined ? perSecond * 10 : Number(burst);
  if (perSecond > 0 && atOnce > 0) return { perSecond, burst: atOnce };
  throw new CommandRefusal(
    `--rate-limit ${text}: must be requests a second for each client, such as 100; with those at once, 100/1000; or off.`,
  );
}

function parseTrusted({
  trustIssuer = [],
  audience,
  clientClaim,
  issuerKeys,
}: RawServeOptions): readonly TrustedIssuer[] {
  if (trustIssuer.length === 0) {
    if (audience === undefined && clientClaim === undefined && issuerKeys === undefined) return [];
    throw new CommandRefusal(
      "--audience, --client-claim and --issuer-keys belong to --trust-issuer, which is not given.",
    );
  }
  if (issuerKeys !== undefined && issuerKeys.length !== trustIssuer.length) {
    throw new CommandRefusal("--issuer-keys needs one address for each --trust-issuer, in the same order.");
  }
  if (audience === undefined) {
    throw new CommandRefusal(
      "--trust-issuer needs --audience: what the issuer's tokens name this registry as. Without it, a token for any other service would do.",
    );
  }
  const keys = issuerKeys?.map((place) => parseSafe("--issuer-keys", place, "the https address of its keys"));
  return trustIssuer.map((issuer, i) => ({
    issuer: parseIssuer(issuer),
    audience,
    ...(keys?.[i] === undefined ? {} : { jwksUri: keys[i] }),
    ...(clientClaim === undefined ? {} : { clientClaim }),
  }));
}

const itsIssuer = "the issuer's https address, exactly as its tokens name it (iss)";

function parseIssuer(text: string): string {
  const { search, hash } = new URL(parseSafe("--trust-issuer", text, itsIssuer));
  if (search === "" && hash === "") return text;
  throw new CommandRefusal(`--trust-issuer ${text}: must be ${itsIssuer}.`);
}

/** Whoever can answer in the issuer's place says who may call, so only loopback goes without TLS. */
function parseSafe(option: string, text: string, what: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const loopback = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback);
  if (safe) return text;
  throw new CommandRefusal(`${option} ${text}: must be ${what}.`);
}

function parseAddress(text: string): string {
  if (URL.canParse(text) && /^https?:/.test(text) && !/[<>\s]/.test(text)) return text;
  throw new CommandRefusal(`--migration-url ${text}: must be an address that begins with https://`);
}

function parseOrigins(texts: readonly string[]): CrossOrigin["origins"] {
  return texts.includes("*") ? "*" : texts.map((text) => parseOrigin("--allow-origin", text));
}

function parseOrigin(option: string, text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare = url !== undefined && url.href === `${url.origin}/` && /^https?:$/.test(url.protocol);
  if (bare) return url.origin;
  throw new CommandRefusal(
    `${option} ${text}: must be an origin without a path, such as https://registry.example.org`,
  );
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new CommandRefusal(`--port ${text}: must be a whole number from 0 to 65535; 0 picks a free port.`);
}
