import { createWriteStream } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { Logger } from "pino";
import { exportLines, type Source } from "./export.ts";
import { logProgress } from "./progress.ts";
import { CommandRefusal, codeOf } from "./refusal.ts";

/**
 * Writes everything of a registry to a file, or to standard output. The file is there once it is whole: until then what is
 * written has `.part` after its name.
 *
 * @param target a path, or `-` for standard output
 */
export async function writeExport(
  source: Source,
  { target, out, log }: { readonly target: string; out(text: string): Promise<void>; readonly log: Logger },
): Promise<void> {
  let lines = 0;
  const tell = logProgress(log, { message: "exporting", step: 5000 });
  async function* texts() {
    for await (const line of exportLines(source)) {
      yield `${JSON.stringify(line)}\n`;
      lines += 1;
      tell(lines);
    }
  }
  if (target === "-") for await (const text of texts()) await out(text);
  else await writeFile(target, texts());
  log.info({ lines }, "export ended");
}

async function writeFile(path: string, texts: AsyncIterable<string>): Promise<void> {
  const part = `${path}.part`;
  try {
    // For the operator's eyes only: it holds everything about everybody.
    await pipeline(Readable.from(texts), createWriteStream(part, { mode: 0o600 }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true });
    const code = codeOf(error);
    if (code === undefined || !/^E[A-Z]+$/.test(code)) throw error;
    throw new CommandRefusal(`${path} can't be written (${code}).`);
  }
}
