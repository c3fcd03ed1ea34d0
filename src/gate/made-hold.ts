import { cached } from "../domain/cached.ts";
import { type ReportedHold, reportedHold } from "./reported-hold.ts";
import type { ReportedHolds, ReportedTouch } from "./reported-touch.ts";

/** A hold of this isolate that the object does not have yet: what it touched, and the rest of its row. */
export interface MadeHold {
  readonly touch: ReportedTouch;
  readonly id: string;
  /** Whether its id derives from a request id. */
  readonly named: boolean;
  readonly nanos: number;
  /** What rate limits by tokens counted of it. */
  readonly tokens: number;
  readonly at: number;
  readonly expiresAt: number;
}

const LINE_BYTES = 100;
const TOUCH_BYTES = 40;

/**
 * A touch is written once in a report, and its keys have quotes and line breaks, which are escaped to two or three
 * characters.
 */
function weigh({ touch }: MadeHold, named: Set<unknown>): number {
  if (named.has(touch)) return LINE_BYTES;
  named.add(touch);
  let bytes = LINE_BYTES + TOUCH_BYTES + touch.meters.length + (touch.customer?.length ?? 0);
  bytes += touch.mark?.length ?? 0;
  for (const key of touch.keys) bytes += key.length + TOUCH_BYTES;
  for (const key of touch.rates ?? []) bytes += key.length + TOUCH_BYTES;
  return bytes;
}

/**
 * About 5,000 holds: far below what a region accepts at once, and a short wait for others while the object stores them.
 */
export const BOUNDS = { batchBytes: 131_072, reportBytes: 524_288, weigh };

/** Holds as they are reported, those of one touch together. New touches are added to `touches`. */
export function byTouch(holds: readonly MadeHold[], touches: Map<ReportedTouch, number>): ReportedHolds[] {
  const groups = new Map<ReportedTouch, Group>();
  for (const { touch, id, named, nanos, tokens, at, expiresAt } of holds) {
    const index = cached(touches, touch, () => touches.size);
    const group = cached(groups, touch, () => newGroup(index));
    const place = named ? 0 : 1;
    group.lines[place].push(reportedHold({ id, at, expiresAt, nanos }));
    group.tokens[place].push(tokens);
  }
  return [...groups].map(([{ rates = [], isWhole, countsTokens }, { index, lines, tokens }]) =>
    rates.length === 0 && !isWhole && !countsTokens ? [index, ...lines] : [index, ...lines, tokens],
  );
}

/** The holds of one touch, named ones first. */
interface Group {
  readonly index: number;
  readonly lines: readonly [ReportedHold[], ReportedHold[]];
  readonly tokens: readonly [number[], number[]];
}

function newGroup(index: number): Group {
  return { index, lines: [[], []], tokens: [[], []] };
}
