export type { Cipher, OpenCipher } from "./http/cipher.ts";
export type { Compress, ContentCoding } from "./http/content-coding.ts";
export type { CrossOrigin } from "./http/cross-origin.ts";
export type { MetricsSource } from "./http/exchange.ts";
export type { FormerExchange, FormerVersion, FormerVersionMode } from "./http/former-version.ts";
export { type AnswerEntry, createHandler, type Handler, type HandlerOptions } from "./http/handler.ts";
export type { RateLimit } from "./http/rate-limit.ts";
export { createReadAudit, type ReadAuditKeeper, type ReadAuditOptions } from "./http/read-audit.ts";
export { apiRoot, type Method, type OperationName, type Route, routeTable } from "./http/route-table.ts";
export { authorizationServerMetadata, keySetResponse } from "./oauth/authorization-server.ts";
export {
  type Client,
  type ClientDirectory,
  type ClientRegistration,
  createClientDirectory,
  type SecretHashing,
} from "./oauth/clients.ts";
export {
  createIssuer,
  type GrantOutcome,
  type GrantRequest,
  type Issuer,
  type IssuerOptions,
} from "./oauth/issuer.ts";
export type { PublicKey } from "./oauth/signing-keys.ts";
export { createStoredClients, joinDirectories, type StoredClients } from "./oauth/stored-clients.ts";
export type { TrustedIssuer } from "./oauth/trusted-issuers.ts";
export { createV1 } from "./v1/create-v1.ts";
