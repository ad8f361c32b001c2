import { type FaultyLine, type ImportFile, readLines } from "./import-lines.ts";
import { CommandRefusal } from "./refusal.ts";

/** Lines that are read of a file before it is called no NDJSON, and of those the most that are told. */
const mostRead = 100;
const mostTold = 3;

const example =
  '{"type":"Individual","identifier":[{"system":"urn:example:id","value":"4711"}],"name":{"family":"Reyes"}}';

/**
 * Refuses a file that has nothing to do with records, such as a table or a JSON document on many lines, rather than each line of it:
 * none of its first lines is a JSON object with a type. Bad lines of any other file are told as they are met.
 *
 * @param name of the file, for the message
 * @param tell told the first of those lines
 */
export async function refuseOtherFiles(
  file: ImportFile,
  name: string,
  tell: (line: number, fault: string) => void,
): Promise<void> {
  const foreign: FaultyLine[] = [];
  for await (const line of readLines(file)) {
    if (!("foreign" in line)) return;
    foreign.push(line);
    if (foreign.length === mostRead) break;
  }
  if (foreign.length === 0) return;
  for (const { line, fault } of foreign.slice(0, mostTold)) tell(line, fault);
  const which = foreign.length === mostRead ? `none of its first ${mostRead} lines` : "no line of it";
  throw new CommandRefusal(
    `${name} is no NDJSON of records, and nothing of it was imported: ${which} is a JSON object with a "type". A line looks like ` +
      `${example}; docs/command-line.md has all types.`,
  );
}
