import { describe, expect, test } from "vitest";
import { childTraceParent, readTraceParent } from "../../../src/domain/text/traceparent.ts";

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const SPAN = "00f067aa0ba902b7";

describe("traceparent", () => {
  test.each([`00-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01`, `cc-${TRACE}-${SPAN}-01-what-comes-later`])(
    "%s names its trace",
    (header) => expect(readTraceParent(header)).toEqual({ traceId: TRACE, flags: "01", spanId: SPAN }),
  );

  test.each([
    null,
    "",
    TRACE,
    `ff-${TRACE}-${SPAN}-01`,
    `00-${TRACE}-${SPAN}-01-more`,
    `00-${TRACE}-${SPAN}-01.`,
    `cc-${TRACE}-${SPAN}-01.more`,
    `00-${TRACE}-${SPAN}`,
    `00-${TRACE}-${SPAN}-1`,
    `00-${TRACE.toUpperCase()}-${SPAN}-01`,
    `00-${TRACE.slice(1)}-${SPAN}-01`,
    `00-${"0".repeat(32)}-${SPAN}-01`,
    `00-${TRACE}-${"0".repeat(16)}-01`,
    `00-${TRACE}-${SPAN}-01\n`,
    `cc-${TRACE}-${SPAN}-01-${"x".repeat(600)}`,
  ])("%j is ignored", (header) => expect(readTraceParent(header)).toBeNull());

  test("a child belongs to the same trace, and has a span of its own", () => {
    expect(childTraceParent({ traceId: TRACE, flags: "00" }, "1".repeat(16))).toBe(
      `00-${TRACE}-${"1".repeat(16)}-00`,
    );
  });
});
