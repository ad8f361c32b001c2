import { describe, expect, it } from "vitest";
import { hrefOf, routeOf } from "../route.ts";
import { texts } from "../texts.ts";
import { candidateText } from "./candidate-text.ts";
import { fieldLabel, valueText } from "./conflict-text.ts";
import { closestSimilar, type Similar } from "./household.ts";
import { likenessText } from "./likeness-text.ts";
import { missingText } from "./missing-text.ts";
import { emptyIndividual } from "./person-form.ts";
import { ageText, birthText, nameText, scriptLanguage } from "./person-text.ts";
import { parkedTitle } from "./record-title.ts";
import { isUnanswered } from "./sending.ts";
import { takenInText } from "./taken-in-text.ts";

describe("fieldLabel", () => {
  it.each([
    ["/name/family", "Family name"],
    ["/name", "Name"],
    ["/telecom/0/value", "Phone or email: number or address"],
    ["/address/1/city", "Address: town or municipality"],
    ["/member/3", "Member"],
    ["/member/3/role", "Member: role"],
    ["/extension/farmer/farmSize", "Extension: farm size"],
  ])("calls %s “%s”", (path, label) => {
    expect(fieldLabel(path)).toBe(label);
  });
});

describe("valueText", () => {
  const member = {
    entity: { reference: "Individual/a|1" },
    role: { coding: [{ system: "r", code: "head" }] },
  };
  it.each<[string, unknown, string]>([
    ["/birthDate", "1987-03-07", "7 March 1987"],
    ["/name/family", undefined, "Not given"],
    ["/active", false, "No"],
    ["/gender", { coding: [{ system: "urn:iso:std:iso:5218", code: "2" }] }, "Female"],
    ["/member/0", member, "Ana Reyes, head"],
    ["/member/0", { ...member, inactive: true }, "Ana Reyes, head, has left"],
    ["/telecom/0", { system: "phone", value: "+63 917" }, "+63 917"],
    ["/address/0", { line: ["12 Rizal St"], city: "Imus" }, "12 Rizal St, Imus"],
    ["/address/0/country", "PH", "Philippines"],
    ["/status", "exited", "Left the program"],
    ["/photo", "data:image/jpeg;base64,AA", "A photo"],
    ["/extension/farm", { farmSize: 3, crop: { size: 2 } }, "Farm size: 3; Crop: Size: 2"],
  ])("says %s %j as “%s”", (path, value, text) => {
    expect(
      valueText(path, value, (reference) => (reference === "Individual/a|1" ? "Ana Reyes" : undefined)),
    ).toBe(text);
  });
});

describe("parkedTitle", () => {
  const enrollment = {
    beneficiary: { reference: "Group/a|1" },
    program: { reference: "Program/a|1", display: "Family grant" },
  };
  const names: Record<string, string> = {
    "Group/a|1": "Reyes household",
    "Program/a|1": "Family cash grant",
  };
  const nameOf = (reference: string) => names[reference];
  const noName = () => undefined;

  it.each([
    ["Individual", { name: { given: "Ana" } }, noName, ["Ana", "Person"]],
    ["Group", { name: "Reyes household" }, noName, ["Reyes household", "Household"]],
    ["ProgramMembership", enrollment, nameOf, ["Reyes household", "Enrollment in Family cash grant"]],
    ["ProgramMembership", enrollment, noName, ["Family grant", "Enrollment"]],
    ["ProgramMembership", { beneficiary: enrollment.beneficiary }, nameOf, ["Reyes household", "Enrollment"]],
    ["ProgramMembership", {}, nameOf, ["Enrollment", ""]],
  ] as const)("calls a record by whom it is about: %s %j", (type, record, nameIn, [title, text]) => {
    expect(parkedTitle(type, record, nameIn)).toEqual({ title, text });
  });
});

describe("likenessText", () => {
  it("says what speaks for and against it, and nothing of what is not known", () => {
    expect(
      likenessText([
        { kind: "name", match: "similar", strength: 2 },
        { kind: "birthYear", match: "unknown", strength: 1 },
        { kind: "area", match: "other", strength: -1 },
        { kind: "telecom", value: "1", strength: 3 },
      ]),
    ).toEqual(["similar name", "another town", "same phone number"]);
  });
});

describe("closestSimilar", () => {
  const similar = (reference: string, closeness: number): Similar => ({
    reference,
    closeness,
    name: reference,
    text: "",
  });

  it("keeps each record once for its closest likeness, the closest first", () => {
    const found = [similar("a", 1), similar("b", 7), similar("a", 8), similar("c", 4)];
    expect(closestSimilar(found, 2)).toEqual([similar("a", 8), similar("b", 7)]);
  });
});

describe("candidateText", () => {
  const person = {
    ...emptyIndividual,
    birthDate: "1990-05-01",
    address: [{ line: ["12 Rizal St"], city: "Imus" }],
  };
  it.each([
    [[], "36 years · 12 Rizal St, Imus"],
    [["Reyes household", "Cruz"], "36 years · 12 Rizal St, Imus · already in Reyes household, Cruz"],
  ])("tells the place and the households %j", (households, text) => {
    expect(candidateText(person, "2026-11-21", households)).toBe(text);
  });
});

describe("what a search found", () => {
  it.each([
    [{ count: 1, more: false }, { count: 0, more: false }, "1 household and 0 people found"],
    [{ count: 20, more: true }, { count: 1, more: false }, "more than 20 households and 1 person found"],
  ])("is counted: %j %j", (households, people, text) => {
    expect(texts.find.results(households, people)).toBe(text);
  });
});

describe("a record that can't be shown", () => {
  it.each([
    ["not-found", texts.app.notFound],
    ["bad-request", texts.app.notFound],
    ["internal", texts.app.unreadable],
  ] as const)("is told in words for people: %s", (kind, text) => {
    expect(missingText(kind).text).toBe(text);
  });

  it("is told to be given up where it was, unless it could not be read", () => {
    expect(missingText("not-found", true).text).toBe(
      "This registration was given up. Nothing of it is left on this device.",
    );
    expect(missingText("internal", true).text).toBe(texts.app.unreadable);
  });
});

describe("isUnanswered", () => {
  it.each([
    ["offline", true],
    ["waiting", true],
    ["pushing", false],
    ["pulling", false],
  ] as const)("knows whether a sent change is on its way: %s", (phase, unanswered) => {
    expect(isUnanswered(phase)).toBe(unanswered);
  });
});

describe("people in words", () => {
  it("marks estimated ages and dates", () => {
    const person = { birthDate: "1990-01-01", birthDateEstimated: true };
    expect([ageText(person, "2026-11-21"), birthText(person)]).toEqual(["about 36 years", "About 1990"]);
  });

  it("counts a birthday that is still to come", () => {
    expect(ageText({ birthDate: "1990-12-01" }, "2026-11-21")).toBe("35 years");
  });

  it("knows the language by the script", () => {
    expect(["فاطمة", "सीता", "Ana"].map(scriptLanguage)).toEqual(["ar", "hi", undefined]);
  });

  it("says when there is no name", () => {
    expect(nameText({})).toBe("Not given");
  });
});

describe("routes", () => {
  it.each([
    { screen: "find" },
    { screen: "sync" },
    { screen: "household", reference: "Group/urn:service:group|HH 1/2" },
    { screen: "member", reference: "Group/a|1", member: "Individual/b#c|%2F" },
  ] as const)("come back from their address: %j", (route) => {
    expect(routeOf(hrefOf(route))).toEqual(route);
  });

  it("lead to the first screen from an address that names none", () => {
    expect(["#/nowhere", "#/household", "#/person/%E0%A4%A", ""].map((hash) => routeOf(hash).screen)).toEqual(
      ["find", "find", "find", "find"],
    );
  });
});

describe("what came out of a file of another tablet", () => {
  it.each([
    [1, 0, "1 record with changes was taken over."],
    [
      2,
      1,
      "2 records with changes were taken over. 1 more waits until its person signs in here, or until other changes of the same record are sent.",
    ],
    [
      0,
      2,
      "0 records with changes were taken over. 2 more wait until their person signs in here, or until other changes of the same record are sent.",
    ],
    [0, 0, "Nothing in this file is new here: its changes are on this device already, or were sent from it."],
  ])("is %i taken over and %i that wait", (restored, sealed, sentence) => {
    expect(takenInText({ restored, sealed })).toBe(sentence);
  });
});
