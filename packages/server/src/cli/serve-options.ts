import type { Retention } from "@fieldroll/core";
import type { CrossOrigin } from "../http/cross-origin.ts";
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
  readonly trustIssuer?: readonly string[];
  readonly audience?: string;
  readonly clientClaim?: string;
  readonly keepReads?: string;
  readonly keepChanges?: string;
  readonly demo?: boolean;
}

const v1Modes = ["warn", "gone", "off"] as const;
const consentPolicies = ["hide", "identifiers"] as const;
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
  readonly trusted: readonly TrustedIssuer[];
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
    ...(raw.clients === undefined ? {} : { clientsFile: raw.clients }),
    ...(raw.load === undefined ? {} : { loadFile: raw.load }),
    ...(raw.app === undefined ? {} : { appFolder: raw.app }),
    ...(raw.publicUrl === undefined ? {} : { publicUrl: parseOrigin("--public-url", raw.publicUrl) }),
    ...(raw.allowOrigin === undefined ? {} : { cors: { origins: parseOrigins(raw.allowOrigin) } }),
    programs: raw.programs,
    v1: oneOf("--v1", raw.v1 ?? "gone", v1Modes),
    ...(raw.migrationUrl === undefined ? {} : { migrationUrl: parseAddress(raw.migrationUrl) }),
    withoutConsent: oneOf("--without-consent", raw.withoutConsent ?? "hide", consentPolicies),
    restrictedWrites: (raw.restrictedWrites ?? []).map((member) =>
      oneOf("--restricted-writes", member, restrictedMembers),
    ),
    trusted: parseTrusted(raw),
    retention: parseRetention(raw),
    demo: raw.demo ?? false,
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

function parseTrusted({
  trustIssuer = [],
  audience,
  clientClaim,
}: RawServeOptions): readonly TrustedIssuer[] {
  if (trustIssuer.length === 0) {
    if (audience === undefined && clientClaim === undefined) return [];
    throw new CommandRefusal("--audience and --client-claim belong to --trust-issuer, which is not given.");
  }
  if (audience === undefined) {
    throw new CommandRefusal(
      "--trust-issuer needs --audience: what the issuer's tokens name this registry as. Without it, a token for any other service would do.",
    );
  }
  return trustIssuer.map((issuer) => ({
    issuer: parseIssuer(issuer),
    audience,
    ...(clientClaim === undefined ? {} : { clientClaim }),
  }));
}

/** Whoever can answer in the issuer's place says who may call, so only loopback goes without TLS. */
function parseIssuer(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const loopback = url !== undefined && /^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname);
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && loopback);
  if (url && safe && url.search === "" && url.hash === "") return text;
  throw new CommandRefusal(
    `--trust-issuer ${text}: must be the issuer's https address, exactly as its tokens name it (iss).`,
  );
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
