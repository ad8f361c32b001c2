export { openAppFolder, withApp } from "./app-folder.ts";
export { nodeCipher } from "./cipher.ts";
export { nodeCompress } from "./compress.ts";
export { type Listening, type ListenOptions, listen } from "./listen.ts";
export { createMetrics, type Metrics } from "./metrics.ts";
export { scryptSecrets } from "./scrypt.ts";
