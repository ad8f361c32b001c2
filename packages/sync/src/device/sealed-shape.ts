import { isJsonObject, type Json, type JsonObject, type ResourceType, resourceTypes } from "@fieldroll/core";

/**
 * Whether this is sealed work that this version understands. What comes from outside the store may be anything, and what is taken
 * in is done together with everything else of its person: one work that can't be done would keep all of it back.
 */
export function isSealedWork(value: Json | undefined): boolean {
  if (!isJsonObject(value) || value.format !== 1 || !isJsonObject(value.entry)) return false;
  const { entry, record } = value;
  const type = resourceTypes.find((name) => name === entry.type);
  if (!type || !isEntry(entry, type)) return false;
  return record === null || (isJsonObject(record) && isDocument(record, type));
}

type Test = (value: Json | undefined) => boolean;

const isText: Test = (value) => typeof value === "string";
const isName: Test = (value) => typeof value === "string" && value !== "";
const isInstant: Test = (value) => typeof value === "string" && !Number.isNaN(Date.parse(value));
const isFlag: Test = (value) => typeof value === "boolean";
const isCount: Test = (value) => typeof value === "number" && Number.isInteger(value) && value >= 0;
const texts = listOf(isText);
const names = listOf(isName);
const objects = listOf(isJsonObject);

const isLinks: Test = (value) => isJsonObject(value) && Object.values(value).every(isText);

const isPeople: Test = (value) => isJsonObject(value) && objects(Object.values(value));

function isWhole(value: Json | undefined): boolean {
  return Number.isSafeInteger(value);
}

function listOf(test: Test): Test {
  return (value) => Array.isArray(value) && value.every(test);
}

function orNull(test: Test): Test {
  return (value) => value === null || test(value);
}

function orNothing(test: Test): Test {
  return (value) => value === undefined || test(value);
}

function has(tests: Readonly<Record<string, Test>>): Test {
  return (value) =>
    isJsonObject(value) && Object.entries(tests).every(([member, test]) => test(value[member]));
}

const isIdentifier = has({ system: isName, value: isName });
const isEdit = has({
  id: isName,
  at: isInstant,
  by: isText,
  patch: isJsonObject,
  carried: orNothing(isFlag),
  again: orNothing(isFlag),
  hadPhoto: orNothing(isCount),
  skew: orNothing(isWhole),
});

/** A version, and what is shown of the record, where that is not all, and who it is; of one whose version is hidden, these only. */
const isMeta: Test = (value) =>
  has({ versionId: isText, shows: orNothing(texts), who: orNothing(isJsonObject) })(value) ||
  has({ versionId: (version) => version === undefined, shows: texts, who: orNothing(isJsonObject) })(value);

function isRecordOf(type: ResourceType): Test {
  return has({
    type: (value) => value === type,
    identifier: orNothing(listOf(isIdentifier)),
    meta: orNothing(isMeta),
  });
}

function isDocument(document: JsonObject, type: ResourceType): boolean {
  const { body, claims, entries } = document;
  const isIndexed: Test = (value) => isJsonObject(value) && Object.values(value).every(texts);
  return (
    has({ record: isRecordOf(type), links: isJsonObject })(body) &&
    orNothing(texts)(claims) &&
    orNothing(isIndexed)(entries)
  );
}

function isEntry(entry: JsonObject, type: ResourceType): boolean {
  const isRecord = isRecordOf(type);
  const tests: Readonly<Record<string, Test>> = {
    ...{ key: isName, reference: isName },
    ...{ base: orNull(isRecord), lost: orNothing(orNull(isRecord)) },
    ...{ epoch: orNothing(orNull(isText)), meant: orNothing(isLinks), whom: orNothing(isPeople) },
    edits: listOf(isEdit),
    comesTo: orNothing(has({ patch: isJsonObject, covers: names })),
    request: orNull(has(requestOf(isRecord))),
    earlier: orNothing(
      orNull(
        has({
          ...{ sent: isRecord, covers: names, parts: orNothing(names), epoch: orNothing(orNull(isText)) },
          later: orNothing(listOf(isRecord)),
        }),
      ),
    ),
    incoming: orNull(isNewsOf(isRecord)),
    ...{ asked: orNothing(texts), parked: orNull(has(parkOf(isRecord))) },
    ...{ attempts: isCount, rebases: isCount },
    ...{ nextAttemptAt: orNull(isInstant), lastAnswer: orNull(isText), answers: orNothing(objects) },
    ...{ provides: texts, releases: orNothing(texts), needs: texts },
  };
  const isEmpty = Array.isArray(entry.edits) && entry.edits.length === 0 && entry.request === null;
  return has(tests)(entry) && !isEmpty;
}

function requestOf(isRecord: Test): Readonly<Record<string, Test>> {
  return {
    ...{ key: isName, path: isName, contentType: isName, body: isText },
    method: (value) => value === "POST" || value === "PATCH" || value === "PUT",
    ...{ ifMatch: orNull(isText), recordKey: orNothing(isName), keys: orNothing(isLinks) },
    ...{ shown: orNothing(texts), epoch: orNothing(orNull(isText)) },
    ...{ sent: isRecord, covers: names, parts: orNothing(names) },
    ...{ frozenAt: isInstant, serverAt: orNothing(isInstant), early: orNothing(isFlag) },
    clockSkew: orNothing(isWhole),
  };
}

function isNewsOf(isRecord: Test): Test {
  const isRemoval = has({ versionId: isText, reason: isText });
  return (value) =>
    isJsonObject(value) &&
    (value.kind === "upsert" ? isRecord(value.record) && orNothing(isFlag)(value.photo) : isRemoval(value));
}

function parkOf(isRecord: Test): Readonly<Record<string, Test>> {
  return {
    ...{ reason: isName, detail: isText, errors: objects, existing: orNull(isText) },
    ...{ theirs: orNull(isRecord), recordKey: orNothing(isName), since: isInstant },
    ...{ isArchived: orNothing(isFlag), asked: orNothing(texts) },
    ...{ seenAt: orNothing(isInstant), lacks: orNothing(texts), named: orNothing(texts) },
    households: orNothing(listOf(has({ person: isJsonObject, household: isJsonObject }))),
  };
}
