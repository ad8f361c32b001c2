import { system } from "./seed.ts";

/** A request of the table. */
export interface WorstRequest {
  /** Below the API's root, with its query. */
  readonly path: string;
  /** What the table calls it; default: its path. */
  readonly name?: string;
  /** Default: the root of version 2. */
  readonly root?: string;
  /** Bytes of JSON to be sent by POST; GET without it. */
  readonly body?: string;
}

const people = [
  "limit=500",
  "limit=20",
  `identifier=${system}|77`,
  "identifier=77",
  "name=a&limit=500",
  "name=ba&limit=500",
  "name=baca",
  "name=qq",
  "name=qqq",
  "name:exact=nobody",
  "address=ba&limit=500",
  "address=qq",
  "address=ph&name=qq",
  "telecom=%2B639170000077",
  "telecom=nothing",
  "birthdate=ge1950-01-01&birthdate=lt1951-01-01&limit=500",
  "birthdate=ne1990-01-01&limit=500",
  "birthdate=1900-01-01",
  "gender=2&limit=500",
  "gender=9",
  "gender=2&birthdate=ge2019-01-01&address=qq",
  "_lastUpdated=ge2020-01-01&limit=500",
  "_lastUpdated=ge2999-01-01",
  "active=false",
  "active=any&limit=500",
  "group=none&limit=500",
  "group=urn:service:group|HH-7",
  "role=head&limit=500",
  "role=spouse&limit=500",
  "role=head&group=urn:service:group|HH-7",
];
const sorts = ["", "_sort=name", "_sort=-birthdate", "_sort=-_lastUpdated", "_sort=identifier"];
const counted = [
  "limit=20",
  "name=ba",
  "name=qq",
  "gender=2",
  "role=head",
  "group=none",
  "birthdate=ne1990-01-01",
];
const households = [
  "limit=500",
  "name=household&limit=500",
  "name=qq",
  "address=ba",
  "groupType=household&limit=500",
  `member=Individual/${system}|77`,
  `member=Individual/${system}|999999999`,
  "limit=500&_sort=name",
  "limit=20&_total=accurate",
];

/** Searches of every parameter in every order. */
export const searches: readonly WorstRequest[] = [
  ...people.flatMap((query) =>
    sorts.map((sort) => ({ path: `/Individual?${[query, sort].filter(Boolean).join("&")}` })),
  ),
  ...counted.map((query) => ({ path: `/Individual?${query}&_total=accurate` })),
  ...counted.map((query) => ({ path: `/Individual?${query}&_total=accurate&_sort=name` })),
  ...households.map((query) => ({ path: `/Group?${query}` })),
  { path: "/ProgramMembership?limit=500" },
  { path: "/Program?limit=500" },
];
