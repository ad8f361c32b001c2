import { describe, expect, it } from "vitest";
import { openPauseNote } from "./pause-note.ts";

const at = "2026-11-22T08:30:00.000Z";
const clock = () => new Date(at);

function memory(): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const held = new Map<string, string>();
  return {
    getItem: (key) => held.get(key) ?? null,
    setItem: (key, value) => void held.set(key, value),
    removeItem: (key) => void held.delete(key),
  };
}

describe("the note of a pause", () => {
  it("tells the next start who began it and when, until it is ended", () => {
    const storage = memory();
    openPauseNote({ clock, storage }).begun("ana");
    const next = openPauseNote({ clock, storage });
    expect(next.read()).toEqual({ by: "ana", at });
    next.ended();
    expect(openPauseNote({ clock, storage }).read()).toBeNull();
  });

  it("is none where it can't be read", () => {
    const storage = { ...memory(), getItem: () => "half a no" };
    expect(openPauseNote({ clock, storage }).read()).toBeNull();
  });

  it("is none where it can't be kept, which is no reason not to pause", () => {
    const setItem = () => {
      throw new DOMException("full", "QuotaExceededError");
    };
    const note = openPauseNote({ clock, storage: { ...memory(), setItem } });
    note.begun("ana");
    expect(note.read()).toBeNull();
  });
});
