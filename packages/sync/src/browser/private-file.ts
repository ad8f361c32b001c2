import type { UnsentCopy } from "../ports.ts";
import { webLock } from "./ports.ts";

const absent = "NotFoundError";

/**
 * A file that the origin has for itself (File System, "origin private file system"): outside IndexedDB, so that what breaks one
 * leaves the other. A text is there as a whole once its stream is closed; before, the former one is. Who writes holds a lock until then,
 * so that a tab's last text, kept up by the disk, is not there after one that another tab began to write later. Where the browser has
 * no such files, reading and writing fail.
 */
export function privateFile(name: string): UnsentCopy {
  return {
    async read() {
      const folder = await navigator.storage.getDirectory();
      const found = await folder.getFileHandle(name).catch((cause: unknown) => {
        if (cause instanceof DOMException && cause.name === absent) return null;
        throw cause;
      });
      return found && (await found.getFile()).text();
    },
    async write(text) {
      const end = await webLock(name).acquire();
      try {
        const folder = await navigator.storage.getDirectory();
        const file = await folder.getFileHandle(name, { create: true });
        const stream = await file.createWritable();
        await stream.write(text);
        await stream.close();
      } finally {
        end();
      }
    },
  };
}
