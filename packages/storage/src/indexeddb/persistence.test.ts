import { describe, expect, it } from "vitest";
import { askForPersistence } from "./persistence.ts";

const estimate = async () => ({ usage: 5, quota: 100 });
const no = async () => false;
const yes = async () => true;
const refuses = () => Promise.reject(new TypeError("not here"));

describe("askForPersistence", () => {
  it.each([
    ["asks where it has not been granted", { persisted: no, persist: yes, estimate }, true],
    ["does not ask again where it has", { persisted: yes, persist: refuses, estimate }, true],
    ["says that the browser refused", { persisted: no, persist: no, estimate }, false],
    ["takes a failure for a refusal", { persisted: no, persist: refuses, estimate }, false],
  ])("%s", async (_, storage, persisted) => {
    expect(await askForPersistence(storage)).toEqual({ persisted, usage: 5, quota: 100 });
  });

  it("answers where a browser has no storage management", async () => {
    const nothing = { persisted: false, usage: 0, quota: 0 };
    expect(await askForPersistence({})).toEqual(nothing);
    expect(await askForPersistence({ persisted: no, persist: no, estimate: refuses })).toEqual(nothing);
  });
});
