import { system } from "./seed.ts";
import { searches, type WorstRequest } from "./worst-searches.ts";

const person = `/Individual/${system}%7C77`;
const household = "/Group/urn:service:group%7CHH-7";

const reads: readonly WorstRequest[] = [
  { path: person },
  { path: `/Individual/${system}%7Cnobody` },
  { path: `${person}/$history` },
  { path: household },
  { path: `${household}/$history` },
  { path: "/Consent/0190a5b0-0000-7000-8000-000000000000" },
];

const feeds: readonly WorstRequest[] = [
  "feed=all",
  "feed=all&limit=500",
  "feed=area:PH&limit=500",
  "feed=area:PH/Nowhere&limit=500",
  "feed=programs&limit=500",
].map((query) => ({ path: `/$changes?${query}` }));

/** The registry-style half. */
const lists: readonly WorstRequest[] = [
  "/registry/registrant?limit=500",
  "/registry/registrant?limit=500&offset=20000",
  "/change_request?limit=500",
  "/programs?limit=500",
  "/entitlements?limit=500",
  "/entitlements?limit=500&state=approved",
].map((path) => ({ path }));

const heavy = [
  "Individual?group=none&limit=500",
  "Individual?name=ba&_sort=name&limit=500&_total=accurate",
  "Individual?gender=9",
  "Individual?address=qq",
  "Individual?limit=500",
  "Group?name=qq",
];

const batches: readonly WorstRequest[] = [
  ...["batch", "transaction"].flatMap((type) => [
    batch(`100 searches of all kinds, as a ${type}`, type, (i) => heavy[i % heavy.length] ?? ""),
    batch(`100 pages of 500, as a ${type}`, type, () => "Individual?limit=500"),
    batch(`100 scans, as a ${type}`, type, () => "Individual?group=none&limit=500"),
  ]),
  batch("100 reads", "batch", (i) => `Individual/${system}%7C${i}`),
  batch("100 reads of nobody", "batch", (i) => `Individual/${system}%7Cnobody-${i}`),
];

function batch(name: string, type: string, url: (i: number) => string): WorstRequest {
  const entry = Array.from({ length: 100 }, (_, i) => ({ request: { method: "GET", url: url(i) } }));
  return { path: "/$batch", name, body: JSON.stringify({ resourceType: "Bundle", type, entry }) };
}

/** Version 1, whose lists have offsets. */
const former: readonly WorstRequest[] = [
  "/registry/registrant?limit=500",
  "/registry/registrant?limit=500&offset=6000",
  "/registry/registrant?limit=500&offset=90000",
  "/entitlements?limit=500&offset=6000",
].map((path) => ({ path, root: "/api/v1/g2p" }));

/** Requests by the name of their kind. */
export const worstRequests: Readonly<Record<string, readonly WorstRequest[]>> = {
  search: searches,
  read: reads,
  feed: feeds,
  list: lists,
  batch: batches,
  former,
};
