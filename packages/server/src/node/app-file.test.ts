import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ContentCoding } from "../http/content-coding.ts";
import { createFileAnswers } from "./app-file.ts";

describe("what a page loads later", () => {
  let folder: string;
  const names = ["worker.js", "style.css", "photo.png", "short.js"];
  const files = () => [...names, "absent.js"].map((name) => join(folder, name));

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "fieldroll-files-"));
    for (const name of names)
      await writeFile(join(folder, name), "text ".repeat(name.startsWith("short") ? 1 : 1_000));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const request = (coding?: string) =>
    new Request("http://field.test/", coding ? { headers: { "Accept-Encoding": coding } } : {});

  it("is compressed once while the page is on its way, where its reader takes that", async () => {
    const asked: ContentCoding[] = [];
    const { answer, prepare } = createFileAnswers((_body, coding) => {
      asked.push(coding);
      return new Uint8Array(3);
    });
    prepare(request(), files());
    for (const _ of ["first", "second"]) prepare(request("br"), files());
    await expect.poll(() => asked).toEqual(["br", "br"]);
    const [file = ""] = files();
    const sent = await answer(request("br"), { file, path: "/worker.js" });
    expect(sent?.headers.get("Content-Length")).toBe("3");
    expect(asked).toHaveLength(2);
  });
});
