import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { syncEarly } from "./files.ts";

/** A failure of the disk is told to one who asks, once: a load that swallowed it would call a file whole that is not. */
it("an early sync that failed is told at the end", async () => {
  // The system syncs no device of this kind.
  const disk = await syncEarly("/dev/null");
  disk.begin();
  disk.begin();
  await expect(disk.end()).rejects.toMatchObject({ code: "EINVAL" });
});

it("an early sync ends once all that was begun is on the disk", async () => {
  const folder = await mkdtemp(join(tmpdir(), "fieldroll-sync-early-"));
  const path = join(folder, "file");
  await writeFile(path, "some");
  const disk = await syncEarly(path);
  disk.begin();
  await writeFile(path, "more");
  disk.begin();
  await disk.end();
  await rm(folder, { recursive: true });
});
