import { describeStore } from "@fieldroll/core/testing";
import Database from "libsql";
import { sqliteHarness } from "./test-support/harness.ts";

describeStore(
  "SQLite through libsql",
  sqliteHarness((path) => new Database(path), 5000),
);
