export { describeStore, storeCases } from "./describe-store.ts";
export type { OpenStore, StoreCase, StoreHarness, StoreNeed, StoreSizes } from "./describe-store-harness.ts";
export {
  arbitraryGroup,
  arbitraryIdentifier,
  arbitraryIndividual,
  arbitraryMembership,
  arbitraryProgram,
} from "./generators.ts";
export { arbitraryDiverged, type Diverged, perturb } from "./generators-perturb.ts";
export { createSeededRandom, type SeededRandom } from "./seeded-random.ts";
export { createTestRegistry, type TestRegistry, type TestRegistryOptions, testId } from "./test-registry.ts";
export { createVirtualTime, type VirtualTime } from "./virtual-time.ts";
