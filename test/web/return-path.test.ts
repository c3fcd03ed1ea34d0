import { array, assert, constantFrom, oneof, property, string, webUrl } from "fast-check";
import { expect, test } from "vitest";

import { returnPath } from "../../src/web/return-path.ts";

const ORIGIN = "https://sluice.example";
const SLASHES = [
  "/",
  "\\",
  ".",
  "..",
  "%2f",
  "%5c",
  "\t",
  "\n",
  "\r",
  "@",
  ":",
  "?",
  "#",
  "evil.example",
  "https:",
  "javascript:",
  " ",
  "console",
];

test("whatever is sent, the browser stays on this origin", () => {
  const crafted = array(constantFrom(...SLASHES), { maxLength: 9 }).map((parts) => parts.join(""));
  assert(
    property(
      oneof(
        string(),
        webUrl(),
        crafted,
        crafted.map((path) => `/${path}`),
      ),
      (sent) => {
        const path = returnPath(sent);
        expect(path.startsWith("/")).toBe(true);
        expect(new URL(path, ORIGIN).origin).toBe(ORIGIN);
        expect(returnPath(path)).toBe(path);
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  ["/console/runs?model=a#top", "/console/runs?model=a#top"],
  [null, "/console"],
  ["", "/console"],
  ["//evil.example", "/console"],
  ["/\\evil.example", "/console"],
  ["/.//evil.example", "/console"],
  ["/a/..//evil.example", "/console"],
  ["/\t/evil.example", "/console"],
  ["https://evil.example/", "/console"],
  ["javascript:alert(1)", "/console"],
])("a return to %j goes to %s", (sent, path) => {
  expect(returnPath(sent)).toBe(path);
});
