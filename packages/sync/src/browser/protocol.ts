import type { FieldService } from "../service-types.ts";

/** What the page tells the worker before anything else. */
export interface WorkerSetup {
  /** Root of the API, such as `https://registry.example/api/v2`. */
  readonly server: string;
  /** Where tokens come from. Default: the origin of `server`. */
  readonly authServer?: string;
  /** What this device keeps a copy of. Default: `["all"]`. */
  readonly feeds?: readonly string[];
  /**
   * Names the build of the app. A worker of another build is asked for nothing, and the status says `other-build`. Default: none, which a
   * worker has to have, too.
   */
  readonly build?: string;
}

/** The network as a page sees it. */
export interface NetworkSeen {
  readonly online: boolean;
  /** Whether what is sent costs money, or the person wants it to be little. */
  readonly metered: boolean;
}

/** What a worker exposes: the field service, once it was set up, and the network as the page sees it. */
export interface FieldWorker extends FieldService {
  /** Says that the worker is there, and of which build it is; `null` where it names none. The only call between two builds. */
  hello(): Promise<string | null>;
  /** Opens the store and starts the service; everything asked before waits for it. Called once. */
  open(setup: WorkerSetup & NetworkSeen): Promise<void>;
  network(seen: NetworkSeen): Promise<void>;
}

/** The message by which a service worker wakes the pages; a page passes it on to its engine. */
export const wakeMessage = { kind: "fieldroll-wake" } as const;

export function isWakeMessage(data: unknown): boolean {
  return typeof data === "object" && data !== null && (data as { kind?: unknown }).kind === wakeMessage.kind;
}

/** What is said where a page and its worker are of different builds. */
export function otherBuild(page: string | null, worker: string | null): string {
  return `This page is of build ${page ?? "without a name"}, and the worker that keeps the records is of build ${worker ?? "without a name"}. Load the app again.`;
}

/** Tag of the one-off sync and of the periodic one. */
export const wakeTag = "fieldroll-wake";
