import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContentCoding } from "../http/content-coding.ts";
import { createFileAnswers } from "./app-file.ts";

describe("files of the app", () => {
  let folder: string;
  const names = ["worker.js", "style.css", "photo.png", "short.js"];
  const files = () => [...names, "absent.js"].map((name) => join(folder, name));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-files-"));
    for (const name of names)
      await writeFile(join(folder, name), "text ".repeat(name.startsWith("short") ? 1 : 1_000));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("are compressed ahead, once in each coding", async () => {
    const asked: ContentCoding[] = [];
    const { answer, prepare } = createFileAnswers((_body, coding) => {
      asked.push(coding);
      return new Uint8Array(3);
    });
    for (const coding of [undefined, "br", "br"] as const) prepare(coding, files());
    await expect.poll(() => asked).toEqual(["br", "br"]);
    const [file = ""] = files();
    const request = new Request("http://field.test/", { headers: { "Accept-Encoding": "br" } });
    const sent = await answer(request, { file, path: "/worker.js" });
    expect(sent?.headers.get("Content-Length")).toBe("3");
    expect(asked).toHaveLength(2);
  });
});
