/** Prints what vitest's report adds up to, as the last line of .ci/run: `N passed, N failed, N skipped`. */
import { readFileSync } from "node:fs";

interface Report {
  readonly success: boolean;
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly assertionResults: readonly unknown[];
  }[];
}

const [path = ".artifacts/vitest.json", otherFailures = "0"] = process.argv.slice(2);

function read(): Report | undefined {
  try {
    return JSON.parse(readFileSync(path, "utf8")) as Report;
  } catch {
    process.stdout.write(`There is no report of the tests at ${path}: the runner did not get to its end.\n`);
    return undefined;
  }
}

const report = read();
/** Files that failed before any of their tests ran count as one failure each. */
const brokenFiles =
  report?.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.length,
  ) ?? [];
const passed = report?.numPassedTests ?? 0;
const reported = (report?.numFailedTests ?? 0) + brokenFiles.length;
const unexplained = report === undefined || (!report.success && reported === 0) ? 1 : 0;
const failed = reported + unexplained + Number(otherFailures);
const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);

process.stdout.write(`${passed} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;
