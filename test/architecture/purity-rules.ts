import ts from "typescript";
import { lineOf, parse, type Source, walk } from "./source.ts";

/** A place that breaks a rule, and what to do instead. */
export interface Finding {
  readonly path: string;
  readonly line: number;
  readonly message: string;
}

const browserGlobals = new Set([
  "indexedDB",
  "navigator",
  "window",
  "document",
  "localStorage",
  "sessionStorage",
]);

const impureCalls: Readonly<Record<string, string>> = {
  "Date.now": "the clock comes in as an argument",
  "Math.random": "randomness comes in as an argument",
  "performance.now": "the clock comes in as an argument",
  "crypto.randomUUID": "new ids come in as an argument",
  "crypto.getRandomValues": "randomness comes in as an argument",
};

/** Names that a file declares itself, so that a parameter called `document` is not taken for the page. */
function declaredNames(file: ts.SourceFile): Set<string> {
  const names = new Set<string>();
  walk(file, (node) => {
    const declares =
      ts.isVariableDeclaration(node) ||
      ts.isParameter(node) ||
      ts.isBindingElement(node) ||
      ts.isFunctionDeclaration(node) ||
      ts.isImportSpecifier(node);
    if (declares && node.name && ts.isIdentifier(node.name)) names.add(node.name.text);
  });
  return names;
}

/** Whether an identifier stands for a value of its own, and is not the name of a member or of a type's property. */
function isReference(node: ts.Identifier): boolean {
  const { parent } = node;
  if (ts.isPropertyAccessExpression(parent)) return parent.expression === node;
  if (ts.isShorthandPropertyAssignment(parent)) return true;
  return ts.isExpression(parent) || ts.isVariableDeclaration(parent) || ts.isTypeQueryNode(parent);
}

/** Finds uses of the browser's globals, which only the rims may touch. */
export function findBrowserGlobals(source: Source): Finding[] {
  const file = parse(source);
  const declared = declaredNames(file);
  const found: Finding[] = [];
  walk(file, (node) => {
    if (!ts.isIdentifier(node) || !browserGlobals.has(node.text) || declared.has(node.text)) return;
    if (!isReference(node)) return;
    const message = `\`${node.text}\` belongs to the browser: reach it through a port with an adapter at the rim.`;
    found.push({ path: source.path, line: lineOf(file, node), message });
  });
  return found;
}

function impurityOf(file: ts.SourceFile, node: ts.Node): string | undefined {
  if (ts.isNewExpression(node) && node.expression.getText(file) === "Date" && !node.arguments?.length)
    return "`new Date()`: the clock comes in as an argument";
  if (!ts.isPropertyAccessExpression(node)) return undefined;
  const name = node.getText(file).replace(/^globalThis\./, "");
  return Object.hasOwn(impureCalls, name) ? `\`${name}\`: ${impureCalls[name]}` : undefined;
}

/** Finds what makes a result depend on more than its arguments. */
export function findImpurities(source: Source): Finding[] {
  const file = parse(source);
  const found: Finding[] = [];
  walk(file, (node) => {
    const impurity = impurityOf(file, node);
    if (impurity) found.push({ path: source.path, line: lineOf(file, node), message: `${impurity}.` });
  });
  return found;
}
