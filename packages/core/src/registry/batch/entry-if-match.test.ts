import { expect, it } from "vitest";
import { readIfMatch } from "./entry-if-match.ts";

it.each([
  ["3", ["3"]],
  ['"3"', ["3"]],
  ['W/"3"', ["3"]],
  ["W/3", ["3"]],
  ['"3-gzip", W/"4"', ["3", "4"]],
  ["*", "*"],
  ["", undefined],
  ['"3', undefined],
])("request.ifMatch %s names %j", (text, versions) => {
  expect(readIfMatch(text)).toEqual(versions);
});
