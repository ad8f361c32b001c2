import { createIntegerIds } from "../../v1/integer-ids.ts";
import { type Doors, said, type Verdict } from "./doors.ts";
import { type Case, extIdOf } from "./verb-case.ts";

/** Enrolling somebody by each of its verbs. */
function enrolling(
  rule: string,
  to: string,
  who: string,
  { code, words }: { readonly code: string; readonly words: RegExp },
): readonly Case[] {
  const field = code === "program_ended" ? "" : "/registrant_ext_id";
  type Pair = readonly [registrant: string, program: string];
  const ways: readonly (readonly [string, (doors: Doors, pair: Pair) => Promise<Verdict>])[] = [
    [
      "programDesk.enroll",
      async ({ view }, [registrant_ext_id, at]) =>
        said(await view.programDesk.enroll(at, { registrant_ext_id })),
    ],
    [
      "POST /programs/<ext_id>/enroll",
      ({ request }, [registrant_ext_id, at]) =>
        request("POST", `/programs/${at}/enroll`, { registrant_ext_id }),
    ],
    [
      "version 1",
      async ({ request, store }, [registrant, at]) => {
        const [from, into] = await createIntegerIds(store).of([
          { kind: "registrant", extId: registrant },
          { kind: "program", extId: at },
        ]);
        return request("POST", `/api/v1/g2p/programs/${into}/enroll`, { registrant_id: from });
      },
    ],
  ];
  return ways.map(([door, ask]) => {
    const through = async (doors: Doors, of: string, by: string) =>
      ask(doors, [
        await extIdOf(doors, `Individual/urn:p|${by}`),
        await extIdOf(doors, `Program/urn:r|${of}`),
      ]);
    return {
      rule,
      door,
      faults: door === "version 1" ? words : [`${field} ${code}`],
      violating: (doors) => through(doors, to, who),
      sound: (doors) => through(doors, "people", "ana"),
    };
  });
}

export const ofEnrolling: readonly Case[] = [
  ...enrolling("nobody is enrolled in a program that is over", "over", "ana", {
    code: "program_ended",
    words: /has ended/,
  }),
  ...enrolling("nobody archived is enrolled", "people", "gone", { code: "archived", words: /is archived/ }),
  ...enrolling("an enrollment is of those whom the program is for", "groups", "ana", {
    code: "wrong_target_type",
    words: /is for each group/,
  }),
];

export const ofRegistrants: readonly Case[] = (["POST", "PUT"] as const).flatMap((method) =>
  [
    ["a birth date is not in the future", { birthdate: "2026-03-02" }, "/birthdate future_date"],
    ["a gender is one", { gender: "7" }, "/gender invalid_value"],
    ["a name is there", { name: " " }, "/name required"],
  ].map(([rule, more, fault]): Case => {
    const ask = async (doors: Doors, body: object) => {
      const at = method === "PUT" ? `/${await extIdOf(doors, "Individual/urn:p|ana")}` : "";
      return doors.request(method, `/registry/registrant${at}`, { name: "Ana", ...body });
    };
    return {
      rule: String(rule),
      door: `${method} /registry/registrant`,
      faults: [String(fault)],
      violating: (doors) => ask(doors, more as object),
      sound: (doors) => ask(doors, { name: "Ana Reyes" }),
    };
  }),
);

/** Data of a change request, by the same rules as the records that they make. */
export const ofRequests: readonly Case[] = [
  [
    "an extension's field is of its form",
    "add_farmer",
    { name: "Ana", farmer: { livestockCount: 1.5 } },
    "/data/farmer/livestockCount invalid_type",
  ],
  [
    "a birth date is not in the future",
    "add_farmer",
    { name: "Ana", birthdate: "2026-03-02", farmer: {} },
    "/data/birthdate future_date",
  ],
  [
    "an extension's field is of its form",
    "edit_farmer",
    { farmer: { farmSize: -1 } },
    "/data/farmer/farmSize out_of_range",
  ],
  [
    "an extension is declared",
    "create_farm",
    { name: "Farm", farm: { size: 1 } },
    "/data/farm unknown_extension",
  ],
].map(([rule, type, data, fault]): Case => {
  const ask = async (doors: Doors, given: object) => {
    const registrant = await extIdOf(doors, "Individual/urn:p|ana");
    const named = type === "add_farmer" ? {} : { registrant_ext_id: registrant };
    return doors.request("POST", "/change_request", { type, data: { ...named, ...given } });
  };
  const sound =
    type === "create_farm"
      ? { name: "Farm" }
      : { ...(type === "add_farmer" && { name: "Ana" }), farmer: { farmSize: 1 } };
  return {
    rule: String(rule),
    door: String(type),
    faults: [String(fault)],
    violating: (doors) => ask(doors, data as object),
    sound: (doors) => ask(doors, sound),
  };
});
