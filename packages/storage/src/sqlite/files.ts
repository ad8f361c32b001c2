import { access, link, open, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";

export async function fileExists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}

/** The folder that a file would lie in, where that is not there. */
export async function missingFolder(path: string): Promise<string | undefined> {
  const folder = dirname(path);
  return (await fileExists(folder)) ? undefined : folder;
}

/** In bytes; 0 where there is no such file. */
export async function fileSize(path: string): Promise<number> {
  return stat(path).then(
    ({ size }) => size,
    () => 0,
  );
}

/** Removes a file; where there is none, nothing happens. */
export async function removeFile(path: string): Promise<void> {
  await rm(path, { force: true });
}

/**
 * Waits until a file is on the disk, then gives it another name, and waits for that.
 *
 * @throws Error with the code `EEXIST` when there is a file of that name.
 */
export async function nameDurably(from: string, to: string): Promise<void> {
  await syncFile(from);
  await nameOnce(from, to);
  await syncFolder(dirname(to));
}

/** A link is refused where the name is taken, in one step; a rename would put itself in the place of what is there. */
async function nameOnce(from: string, to: string): Promise<void> {
  try {
    await link(from, to);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EEXIST" || (await fileExists(to))) {
      throw Object.assign(new Error(`${to} is there already`), { code: "EEXIST" });
    }
    // Some drives know no links.
    return rename(from, to);
  }
  await rm(from);
}

/** Waits until what was written to a file is on the disk. */
export async function syncFile(path: string): Promise<void> {
  const file = await open(path, "r+");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Windows opens no folders, and needs no waiting for them. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, "r").catch(() => undefined);
  if (!folder) return;
  try {
    await folder.sync();
  } catch (error) {
    if (codeOf(error) !== "EINVAL" && codeOf(error) !== "EPERM") throw error;
  } finally {
    await folder.close();
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as { code?: string }).code;
}
