export { describeStore, storeCases } from "./describe-store.ts";
export type { OpenStore, StoreCase, StoreHarness, StoreNeed } from "./describe-store-harness.ts";
