import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** The checkout, with a slash at its end. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** A source file as the rules see it. */
export interface Source {
  /** From the root of the checkout, with forward slashes. */
  readonly path: string;
  readonly text: string;
}

/** A module named by an import, an export-from, a dynamic import or an import type. */
export interface Import {
  readonly specifier: string;
  /** Counted from 1. */
  readonly line: number;
}

/** Every file that git knows of or would add, so that what is ignored is not judged. */
export function checkedOutFiles(): string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 64 * 1024 * 1024,
  });
  return [...new Set(listed.split("\0"))].filter((path) => path !== "" && existsSync(join(root, path)));
}

/** Every TypeScript file of the checkout. */
export function readSources(): Source[] {
  return checkedOutFiles()
    .filter((path) => /\.(ts|tsx|mts)$/.test(path) && !path.endsWith(".d.ts"))
    .map((path) => ({ path, text: readFileSync(join(root, path), "utf8") }));
}

/** Parses without types: cheap enough to do for every file. */
export function parse({ path, text }: Source): ts.SourceFile {
  const kind = path.endsWith("x") ? ts.ScriptKind.TSX : ts.ScriptKind.TS;
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true, kind);
}

/** Calls `visit` for a node and all below it. */
export function walk(node: ts.Node, visit: (node: ts.Node) => void): void {
  visit(node);
  ts.forEachChild(node, (child) => walk(child, visit));
}

/** The line of a node, counted from 1. */
export function lineOf(file: ts.SourceFile, node: ts.Node): number {
  return file.getLineAndCharacterOfPosition(node.getStart(file)).line + 1;
}

function specifierOf(node: ts.Node): ts.Node | undefined {
  if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) return node.moduleSpecifier;
  if (ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.ImportKeyword)
    return node.arguments[0];
  if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) return node.argument.literal;
  return undefined;
}

/** Lists what a file imports, dynamic imports of a literal and import types included. */
export function importsOf(source: Source): Import[] {
  const file = parse(source);
  const found: Import[] = [];
  walk(file, (node) => {
    const specifier = specifierOf(node);
    if (specifier && ts.isStringLiteralLike(specifier))
      found.push({ specifier: specifier.text, line: lineOf(file, specifier) });
  });
  return found;
}
