import type { Registry, Store } from "@fieldroll/core";
import type { Logger } from "pino";
import { v7 } from "uuid";
import { describeFailure } from "../http/describe-failure.ts";
import { createHandler, type Handler } from "../http/handler.ts";
import { createReadAudit, type ReadAuditKeeper } from "../http/read-audit.ts";
import { nodeCipher } from "../node/cipher.ts";
import { nodeCompress } from "../node/compress.ts";
import { createMetrics } from "../node/metrics.ts";
import { scryptSecrets } from "../node/scrypt.ts";
import type { ClientDirectory } from "../oauth/clients.ts";
import { createIssuer } from "../oauth/issuer.ts";
import { createV1 } from "../v1/create-v1.ts";
import { demoClients } from "./demo.ts";
import type { ServeOptions } from "./serve-options.ts";

/** What a server tells of itself, and where. */
export interface ServeContext {
  readonly version: string;
  readonly log: Logger;
}

/** The one that may do most of what `/docs` shows. */
const [demoClient] = demoClients;

/** What the handler of `fieldroll serve` answers from. */
interface HandlerParts {
  readonly store: Store;
  readonly registry: Registry;
  readonly directory: ClientDirectory;
  readonly isLoading: () => boolean;
}

const untrusted =
  "A request came with Forwarded or X-Forwarded-For from an address that --trusted-proxy does not name, so the header is not read. If that is your proxy, all its callers count as one address: name the proxy with --trusted-proxy. This is said once.";

/** The handler of `fieldroll serve`, with its figures and its log. */
export function makeHandler(
  options: ServeOptions,
  { version, log }: ServeContext,
  parts: HandlerParts,
): Handler {
  const { store, registry, directory, isLoading } = parts;
  const metrics = createMetrics();
  return createHandler({
    registry,
    issuer: createIssuer({
      store,
      clients: directory,
      secrets: scryptSecrets(),
      trusted: options.trusted,
    }),
    appVersion: version,
    ...(options.publicUrl === undefined ? {} : { publicUrl: options.publicUrl }),
    ...(options.cors === undefined ? {} : { cors: options.cors }),
    v1: options.v1,
    ...(options.v1 === "warn" ? { formerVersion: createV1(store) } : {}),
    ...(options.migrationUrl === undefined ? {} : { migrationUrl: options.migrationUrl }),
    ...(options.demo && demoClient ? { exampleClient: demoClient } : {}),
    trustedProxies: options.trustedProxies,
    onUntrustedProxy: () => log.warn(untrusted),
    rateLimit: options.rateLimit,
    cipher: nodeCipher,
    ...(options.compress ? { compress: nodeCompress } : {}),
    isLoading,
    newRequestId: () => v7(),
    metrics,
    onAnswer: (entry) => {
      metrics.answered(entry);
      log.info(entry, "answered");
    },
    onFailure: (error, entry) => {
      metrics.failed(error);
      log.error({ ...entry, ...describeFailure(error) }, "failed");
    },
  });
}

/** Keeps the entries of reads: they are written within a second, and before the store closes. */
export function auditOf(store: Store, log: Logger): ReadAuditKeeper {
  return createReadAudit({
    store,
    newId: () => v7(),
    schedule: (task, milliseconds) => void setTimeout(task, milliseconds),
    onFailure: (error, waiting) =>
      log.error({ waiting, ...describeFailure(error) }, "the audit trail of reads could not be written"),
  });
}
