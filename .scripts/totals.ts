/**
 * Prints what vitest's report adds up to, as the last line of .ci/run: `N passed, N failed, N skipped`.
 * Arguments: whether the test command `passed` or `failed`, and how many other steps failed; each counts as one.
 */
import { readReport } from "./report.ts";

const path = ".artifacts/vitest.json";
const [tests = "passed", otherFailures = "0"] = process.argv.slice(2);
const report = readReport(path);
if (!report)
  process.stdout.write(`There is no report of the tests at ${path}: the runner did not get to its end.\n`);

/** Files that failed before any of their tests ran count as one failure each. */
const brokenFiles =
  report?.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && !assertionResults.length,
  ) ?? [];
const reported = (report?.numFailedTests ?? 0) + brokenFiles.length;
/** A run can fail without a failed test: an error that nobody caught, or a runner that did not get to its end. */
const unexplained = (tests !== "passed" || !report?.success) && reported === 0 ? 1 : 0;
const failed = reported + unexplained + Number(otherFailures);
const skipped = (report?.numPendingTests ?? 0) + (report?.numTodoTests ?? 0);

process.stdout.write(`${report?.numPassedTests ?? 0} passed, ${failed} failed, ${skipped} skipped\n`);
process.exitCode = failed === 0 ? 0 : 1;
