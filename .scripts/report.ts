import { readFileSync } from "node:fs";

/** The part of vitest's JSON report that the scripts read. */
export interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly status: string;
    readonly assertionResults: readonly { readonly fullName: string; readonly status: string }[];
  }[];
}

/** @returns the report, or undefined where the runner did not get to writing one. */
export function readReport(path: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    return undefined;
  }
}

/** Names every test that stood aside, since a gap should be seen. */
export function skippedNames(report: Report | undefined): string[] {
  const results = report?.testResults.flatMap(({ assertionResults }) => assertionResults) ?? [];
  return results
    .filter(({ status }) => !["passed", "failed"].includes(status))
    .map(({ fullName }) => fullName);
}
