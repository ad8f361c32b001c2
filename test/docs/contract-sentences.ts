import { createHash } from "node:crypto";

/** A sentence or a table's row of the contract. */
export interface Sentence {
  /** Section and a digest of the whole text: another one when a word changes. */
  readonly id: string;
  readonly text: string;
}

/** A heading, a row of a table, or the lines of one item or paragraph, joined. */
interface Block {
  readonly kind: "section" | "row" | "prose";
  readonly text: string;
}

/** Splits the contract into what it says: each row of a table, each sentence of its prose. */
export function sentencesOf(contract: string): readonly Sentence[] {
  let section = "0";
  return blocksOf(contract.split("\n")).flatMap(({ kind, text }) => {
    if (kind === "section") {
      section = text;
      return [];
    }
    return (kind === "row" ? [cellsOf(text)] : splitProse(text)).map((part) => {
      const digest = createHash("sha256").update(`${section}\n${part}`).digest("hex").slice(0, 6);
      return { id: `${section}-${digest}`, text: part };
    });
  });
}

const rule = /^\|[\s|:-]+\|$/;
const item = /^(?:[-*]|\d+\.) /;

function blocksOf(lines: readonly string[]): readonly Block[] {
  const blocks: { kind: Block["kind"]; text: string }[] = [];
  let open = false;
  for (const [i, line] of lines.entries()) {
    const goesOn: boolean = open && line.trim() !== "" && !item.test(line) && !/^[|#]/.test(line);
    const last = blocks.at(-1);
    if (goesOn && last) last.text = `${last.text} ${line.trim()}`;
    else blocks.push(...blockOf(line, lines[i + 1] ?? ""));
    open = goesOn || (line.trim() !== "" && !/^[|#]/.test(line));
  }
  return blocks;
}

function blockOf(line: string, next: string): readonly Block[] {
  const section = /^## (\d+)/.exec(line)?.[1];
  if (section !== undefined) return [{ kind: "section", text: section }];
  if (line.startsWith("|")) return rule.test(line) || rule.test(next) ? [] : [{ kind: "row", text: line }];
  return line.trim() === "" || line.startsWith("#") ? [] : [{ kind: "prose", text: line.replace(item, "") }];
}

/** The bar inside an address is written with a backslash in a table. */
function cellsOf(row: string): string {
  return row
    .slice(1, -1)
    .split(/(?<!\\)\|/)
    .map((cell) => cell.trim())
    .filter((cell) => cell !== "")
    .join(" — ");
}

function splitProse(text: string): readonly string[] {
  return text
    .split(/(?<=[.!?])\*{0,2}\s+(?=[\p{Lu}`*[<(_])/u)
    .map((part) => part.trim())
    .filter((part) => part !== "");
}
