import { type Database, parseDatabase } from "./database.ts";
import { CommandRefusal } from "./refusal.ts";

/** Options of `fieldroll serve` as commander hands them over. */
export interface RawServeOptions {
  readonly port: string;
  readonly host: string;
  readonly database: string;
  readonly clients?: string;
  readonly app?: string;
  readonly load?: string;
  readonly publicUrl?: string;
  readonly programs: boolean;
  readonly v1?: string;
  readonly withoutConsent?: string;
  readonly demo?: boolean;
}

/** Options of `fieldroll serve`, checked. */
export interface ServeOptions {
  readonly port: number;
  readonly host: string;
  readonly database: Database;
  readonly clientsFile?: string;
  readonly appFolder?: string;
  readonly loadFile?: string;
  /** Origin under which callers reach the server. */
  readonly publicUrl?: string;
  readonly programs: boolean;
  readonly demo: boolean;
}

/** Checks the options of `fieldroll serve`: docs/command-line.md. What this version can't do is refused, not ignored. */
export function parseServeOptions(raw: RawServeOptions): ServeOptions {
  refuseLater("--v1", raw.v1, "the V1 layer");
  refuseLater("--without-consent", raw.withoutConsent, "filtering by consent");
  if (raw.demo && !raw.programs) {
    throw new CommandRefusal("--demo has enrollments in programs and can't go with --no-programs.");
  }
  return {
    port: parsePort(raw.port),
    host: raw.host,
    database: parseDatabase(raw.database),
    ...(raw.clients === undefined ? {} : { clientsFile: raw.clients }),
    ...(raw.load === undefined ? {} : { loadFile: raw.load }),
    ...(raw.app === undefined ? {} : { appFolder: raw.app }),
    ...(raw.publicUrl === undefined ? {} : { publicUrl: parseOrigin(raw.publicUrl) }),
    programs: raw.programs,
    demo: raw.demo ?? false,
  };
}

function refuseLater(option: string, value: string | undefined, what: string): void {
  if (value !== undefined)
    throw new CommandRefusal(`${option}: ${what} is not in this version. Leave the option out.`);
}

function parseOrigin(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const bare = url !== undefined && url.href === `${url.origin}/` && /^https?:$/.test(url.protocol);
  if (bare) return url.origin;
  throw new CommandRefusal(
    `--public-url ${text}: must be an origin without a path, such as https://registry.example.org`,
  );
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (port <= 65535) return port;
  throw new CommandRefusal(`--port ${text}: must be a whole number from 0 to 65535; 0 picks a free port.`);
}
