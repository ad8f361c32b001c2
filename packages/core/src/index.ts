export { auditDocument, readAuditDocuments } from "./audit/document.ts";
export type { Retention } from "./audit/forgetting.ts";
export {
  type AuditEntry,
  type AuditPage,
  type AuditQuery,
  auditOf,
  type History,
  type HistoryChange,
  type HistoryEntry,
  type ReadAudit,
} from "./audit/types.ts";
export {
  type BenefitVerbs,
  type Cycle,
  type CycleState,
  type CycleVerbs,
  cycleStates,
  type EnrollmentSummary,
  type Entitlement,
  type EntitlementListRequest,
  type EntitlementState,
  type EntitlementVerbs,
  entitlementStates,
  type ListRequest,
  type Money,
  type ProgramDesk,
  type ProgramSummary,
  type Registrant,
  type RegistrantGender,
  type RegistrantVerbs,
  registrantGenders,
} from "./benefits/types.ts";
export { shippedChangeRequestTypes } from "./change-request/shipped.ts";
export {
  type ApplyContext,
  type ChangeRequest,
  type ChangeRequestListRequest,
  type ChangeRequestState,
  type ChangeRequestType,
  type ChangeRequestVerbs,
  type ChangeRequestWritten,
  type CheckContext,
  changeRequestStates,
} from "./change-request/types.ts";
export { consentPurposes, consentTermsSchema, organizationTypes } from "./consent/terms.ts";
export { consentTransitions } from "./consent/transitions.ts";
export {
  type Consent,
  type ConsentOptions,
  type ConsentScope,
  type ConsentStatus,
  type ConsentTerms,
  type ConsentVerbs,
  consentStatuses,
  type Grantee,
} from "./consent/types.ts";
export {
  hiddenMembers,
  printShown,
  readShown,
  type Sight,
  sightFrom,
  type Visibility,
  visiblePart,
  withHidden,
} from "./consent/visibility.ts";
export {
  type ConsentedRecord,
  type ConsentFacts,
  exemptLegalBases,
  visibleFields,
} from "./consent/visible-fields.ts";
export {
  isJsonObject,
  type Json,
  type JsonObject,
  pointer,
  pointerTo,
  sameJson,
  segmentsOf,
} from "./json.ts";
export {
  type AreaMatch,
  type BirthMatch,
  type Evidence,
  type Likened,
  type Likeness,
  likenessOf,
  rankAlike,
} from "./likeness/likeness.ts";
export type { NameMatch } from "./likeness/names.ts";
export { tellingParts } from "./likeness/words.ts";
export { applyMergePatch, diffMergePatch } from "./merge/patch.ts";
export type {
  AtomicShape,
  Choice,
  Conflict,
  ConflictPolicies,
  KeyedShape,
  Merged,
  ObjectShape,
  Policy,
  PolicyFunction,
  Shape,
  TheirsShape,
  Verdict,
  Versions,
} from "./merge/shape.ts";
export { partShapes, resourceShapes } from "./merge/shapes.ts";
export {
  conflictPlaces,
  type MergeRequest,
  merge,
  mixedChoice,
  resolveConflicts,
} from "./merge/three-way.ts";
export {
  type FieldError,
  failure,
  invalid,
  maxErrors,
  type Outcome,
  type Problem,
  type ProblemKind,
  problemKinds,
  RegistryError,
  success,
  together,
  unwrap,
} from "./problem.ts";
export { type BatchAnswer, type BatchResponse, maxEntries } from "./registry/batch/types.ts";
export {
  type Budget,
  type BudgetLimits,
  type BudgetOptions,
  createBudget,
  createLongReads,
  createLongTexts,
  type LongReads,
  type LongTexts,
} from "./registry/budget.ts";
export { createRecordRegistry, createRegistry } from "./registry/create-registry.ts";
export { readEntityTags, tagWithoutCoding } from "./registry/entity-tag.ts";
export { mayBeFeed } from "./registry/feed/feed-names.ts";
export { areaFeeds } from "./registry/feed/feeds.ts";
export type { Policies } from "./registry/policies.ts";
export { withCurrentReferences } from "./registry/record/current-references.ts";
export {
  enrollmentClaim,
  type Links,
  linkEntries,
  recordDocument,
  recordKey,
  type StoredRecord,
  storedRecord,
} from "./registry/record/document.ts";
export { unknownField } from "./registry/record/members.ts";
export { activeMembers, referenceTo } from "./registry/record/render.ts";
export {
  contentOf,
  identifiersOf,
  mapReferences,
  readReferences,
  referencesOf,
  storedForm,
  wireForm,
} from "./registry/record/stored.ts";
export { withPhotos } from "./registry/record/stored-photo.ts";
export { requestSchemas } from "./registry/request-schemas.ts";
export { allScopes, operator, scopeOf } from "./registry/scopes.ts";
export { pageSize } from "./registry/search/one-parameter.ts";
export type { SearchParameter } from "./registry/search/parameter-kinds.ts";
export { answerParameters, searchParameters, sortIndexes } from "./registry/search/search-parameters.ts";
export { forgetEpoch } from "./registry/system-documents.ts";
export type {
  Address,
  BatchOptions,
  Caller,
  Disclosed,
  Disclosure,
  Eligibility,
  FeedItem,
  FeedPage,
  FeedRequest,
  GroupVerbs,
  Idempotency,
  IfMatch,
  Page,
  Readable,
  ReadOptions,
  RecordChange,
  RecordRegistry,
  RecordView,
  Registry,
  RegistryConfig,
  RegistryFacts,
  RegistryView,
  SearchParameters,
  TransactionOptions,
  Writable,
  WriteEntry,
  WriteOptions,
  Written,
} from "./registry/types.ts";
export type { MergedRecord } from "./registry/write/judge-merged.ts";
export type {
  CodeableConcept,
  Coding,
  HumanName,
  Identifier,
  Meta,
  Period,
  PostalAddress,
  Reference,
  Telecom,
} from "./resource/common.ts";
export type { ExtensionDeclaration, SchemaContext, Vocabularies, Vocabulary } from "./resource/context.ts";
export { countryCodes } from "./resource/countries.ts";
export { isCalendarDate } from "./resource/dates.ts";
export { decideMembership, type MembershipChange, withKeptDates } from "./resource/decide-membership.ts";
export {
  isActiveMember,
  memberCount,
  nameText,
  primaryIdentifier,
  programStatus,
  withoutDerived,
} from "./resource/derived.ts";
export { disability, extensionFields, extensionUrl, farmer } from "./resource/extensions.ts";
export { type Group, type GroupBody, type GroupMember, groupTypes } from "./resource/group.ts";
export type { GroupMembership, Individual, IndividualBody } from "./resource/individual.ts";
export { jsonSchemaOf } from "./resource/json-schema.ts";
export { list, maxItems } from "./resource/list.ts";
export type { MembershipBody, ProgramMembership } from "./resource/membership.ts";
export {
  type MembershipStatus,
  membershipStatuses,
  membershipTransitions,
  type Transition,
  transition,
} from "./resource/membership-status.ts";
export { parseInput } from "./resource/parse-input.ts";
export { maxPhotoLength } from "./resource/photo.ts";
export { bodyLimits, tooManyValues, tooWide } from "./resource/plain.ts";
export { type Program, type ProgramBody, type ProgramStatus, targetTypes } from "./resource/program.ts";
export {
  canonicalReference,
  type ParsedReference,
  type PrintedReference,
  parseAddress,
  parseReference,
  printAddress,
  printRaw,
  printReference,
  type RecordAddress,
  rawReference,
  type StoredReference,
  sameReference,
  splitRaw,
  type WrittenReference,
} from "./resource/reference.ts";
export { createSchemas, type Schemas, validateRecord } from "./resource/schemas.ts";
export { type ResourceType, resourceTypes } from "./resource/types.ts";
export { genderCodes, genderSystem, relationshipCodes, relationshipSystem } from "./resource/vocabularies.ts";
export {
  answerQuery,
  compareCodeUnits,
  comparePositions,
  entriesMeet,
  fitting,
  holds,
  positionOf,
  sortValue,
  valueMeets,
} from "./store/match.ts";
export { createMemoryStore } from "./store/memory.ts";
export { createMemoryMedium, type MemoryMedium } from "./store/memory-medium.ts";
export {
  type Change,
  type ChangesPage,
  type ChangesRequest,
  type Commit,
  type CommitResult,
  type Condition,
  type Document,
  type DocumentKey,
  type Entries,
  type Expectation,
  type Failure,
  type Found,
  type Naming,
  type Part,
  type Position,
  type Query,
  type QueryPage,
  type Store,
  type StoreCensus,
  type StoredDocument,
  StoreError,
  type StoreErrorCode,
  type StoreFault,
} from "./store/port.ts";
export {
  bodyText,
  checkCommit,
  checkedChangesRequest,
  checkedClaims,
  checkedCount,
  checkedKeys,
  checkedNaming,
  checkedQuery,
  checkPut,
  isStrict,
  joinedKey,
} from "./store/rules.ts";
export { counted, quoted, searchText, shortened } from "./text.ts";
export type { Finding, FindingKind } from "./upkeep/finding.ts";
export { type Declared, type KeptKind, plainKind } from "./upkeep/kept-kind.ts";
export { type Reindexed, reindexRegistry } from "./upkeep/reindex.ts";
export { type UpkeepConfig, type Verified, verifyRegistry, type Watch } from "./upkeep/verify.ts";
export {
  checkedClock,
  checkedIds,
  hasMethods,
  isFunction,
  isListOf,
  isText,
  type OptionRule,
  optional,
  optionRules,
  refuseUnknownOptions,
  refuseWrongOptions,
  wrongOptions,
} from "./wrong-options.ts";
