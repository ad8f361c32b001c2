import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readClientsFile } from "./clients-file.ts";
import { unreadable, unwritable } from "./file-faults.ts";

const fault = (code: string) => Object.assign(new Error("a fault"), { code });

describe("a file that can't be read is told with its whole path and the next step", () => {
  const file = resolve("people.ndjson");
  it.each([
    [
      "ENOENT",
      `${file} can't be read (ENOENT): there is no such file, so nothing was imported. Check the path`,
    ],
    ["EISDIR", `${file} can't be read (EISDIR): it is a folder, so nothing was imported. Check the path`],
    [
      "EACCES",
      "whoever runs this may not read it, so nothing was imported. Let them read it, or name another",
    ],
    ["EIO", `${file} can't be read (EIO), so nothing was imported. Check the path, or name another file.`],
  ])("%s", (code, sentence) => {
    const { message } = unreadable("people.ndjson", fault(code), { so: "nothing was imported" });
    expect(message).toContain(sentence);
  });

  it("of an option, and of standard input", () => {
    const told = { option: "--secret-file", so: "no client was added" };
    expect(unreadable("-", fault("EIO"), told).message).toMatch(
      /^--secret-file: standard input can't be read \(EIO\), so no client was added\. /,
    );
  });

  it("of --clients, and what the file is to hold", async () => {
    const file = resolve("no-such-clients.json");
    await expect(readClientsFile("no-such-clients.json")).rejects.toThrow(
      `--clients: ${file} can't be read (ENOENT): there is no such file, so nothing is served. Make it first, such as [{"id":`,
    );
    await expect(readClientsFile(tmpdir())).rejects.toThrow(
      "it is a folder, so nothing is served. Check the path",
    );
  });
});

describe("a file that can't be written is told with its whole path and the next step", () => {
  const missing = join(tmpdir(), "no-such-folder");
  it.each([
    ["ENOENT", join(missing, "x"), `there is no folder ${missing}, so nothing was written. Make it first.`],
    ["ENOENT", join(tmpdir(), "x"), "x can't be written (ENOENT), so nothing was written. Check the path"],
    ["EACCES", "x", `${resolve("x")} can't be written (EACCES): whoever runs this may not write there`],
    ["ENOSPC", "x", "the drive is full, so nothing was written. Make room"],
  ])("%s of %s", async (code, path, sentence) => {
    expect((await unwritable(path, code)).message).toContain(sentence);
  });
});
