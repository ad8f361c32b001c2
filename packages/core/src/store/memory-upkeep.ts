import { entryName, type MemoryMedium, putIn, tell } from "./memory-medium.ts";
import type { StoreCensus, StoredDocument, StoreFault } from "./port.ts";
import { joinedKey } from "./rules.ts";

type Tell = (fault: StoreFault) => void;

/** Compares the claims, entries and feeds of a medium with what its documents declare, in both directions. */
export function verifyMedium(medium: MemoryMedium, tell: Tell): StoreCensus {
  const documents = everyDocument(medium);
  for (const document of documents) {
    verifyClaims(medium, document, tell);
    verifyEntries(medium, document, tell);
    verifyFeeds(medium, document, tell);
  }
  verifyHolders(medium, tell);
  verifyHavers(medium, tell);
  verifyRows(medium, tell);
  return censusOf(documents);
}

/** Builds claims, entries and feeds anew from the documents; no cursor given before is good any more. */
export function rebuildMedium(medium: MemoryMedium, tellFault: Tell): StoreCensus {
  const documents = [...everyDocument(medium)].sort((a, b) => (joinedKey(a) < joinedKey(b) ? -1 : 1));
  medium.collections.clear();
  medium.claims.clear();
  medium.entries.clear();
  medium.feeds.clear();
  medium.identity += 1;
  for (const document of documents) {
    for (const claim of document.claims) {
      if (medium.claims.has(claim)) tellFault(fault("claim", document, `the claim ${claim} is another's`));
    }
    const kept = new Map(document.claims.map((claim) => [claim, medium.claims.get(claim)]));
    putIn(medium, document);
    for (const [claim, holder] of kept) if (holder) medium.claims.set(claim, holder);
    const position = ++medium.position;
    const { collection, key } = document;
    for (const feed of new Set(document.feeds))
      tell(medium, feed, { collection, key, position, gone: false });
  }
  return censusOf(documents);
}

function verifyClaims(medium: MemoryMedium, document: StoredDocument, tell: Tell): void {
  for (const claim of document.claims) {
    const holder = medium.claims.get(claim);
    if (!holder || joinedKey(holder) !== joinedKey(document))
      tell(fault("claim", document, `the claim ${claim} is not held`));
  }
}

function verifyEntries(medium: MemoryMedium, document: StoredDocument, tell: Tell): void {
  for (const [index, values] of Object.entries(document.entries)) {
    const listed = (value: string) =>
      medium.entries.get(entryName(document.collection, index, value))?.has(document.key);
    if (!values.every(listed)) tell(fault("entry", document, `a value of the index ${index} is not listed`));
  }
}

function verifyFeeds(medium: MemoryMedium, document: StoredDocument, tell: Tell): void {
  for (const feed of document.feeds) {
    const row = medium.feeds.get(feed)?.rows.get(joinedKey(document));
    if (!row || row.gone) tell(fault("feed", document, `the feed ${feed} does not tell it`));
  }
}

function verifyHolders(medium: MemoryMedium, tell: Tell): void {
  for (const [claim, holder] of medium.claims) {
    if (!found(medium, holder)?.claims.includes(claim))
      tell(fault("claim", holder, `the claim ${claim} is held and not declared`));
  }
}

function verifyHavers(medium: MemoryMedium, tell: Tell): void {
  for (const [name, keys] of medium.entries) {
    const [collection = "", index = "", value = ""] = name.split("\u0000");
    for (const key of keys) {
      const document = found(medium, { collection, key });
      if (!document?.entries[index]?.includes(value))
        tell(fault("entry", { collection, key }, `a value of the index ${index} is listed and not declared`));
    }
  }
}

function verifyRows(medium: MemoryMedium, tell: Tell): void {
  for (const [feed, { rows }] of medium.feeds) {
    for (const row of rows.values()) {
      if (!row.gone && !found(medium, row)?.feeds.includes(feed))
        tell(fault("feed", row, `the feed ${feed} tells it and is not declared`));
    }
  }
}

function found(medium: MemoryMedium, at: { collection: string; key: string }): StoredDocument | undefined {
  return medium.collections.get(at.collection)?.get(at.key);
}

function fault(
  about: StoreFault["about"],
  { collection, key }: { collection: string; key: string },
  message: string,
) {
  return { about, at: { collection, key }, message: `Of ${collection} ${key}, ${message}.` };
}

function everyDocument(medium: MemoryMedium): StoredDocument[] {
  return [...medium.collections.values()].flatMap((collection) => [...collection.values()]);
}

function censusOf(documents: readonly StoredDocument[]): StoreCensus {
  const sum = (count: (document: StoredDocument) => number) =>
    documents.reduce((total, document) => total + count(document), 0);
  return {
    documents: documents.length,
    claims: sum(({ claims }) => new Set(claims).size),
    entries: sum(({ entries }) => Object.values(entries).reduce((n, values) => n + new Set(values).size, 0)),
    feeds: sum(({ feeds }) => new Set(feeds).size),
  };
}
