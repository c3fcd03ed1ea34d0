import { cached } from "../../domain/cache/cached.ts";
import { readCall } from "./call-line.ts";
import { type HoldLine, holdLine, withInput, withTokens } from "./hold-line.ts";
import type { ReportedHolds, LimitSetLine } from "./limit-set-line.ts";

/** A hold of this isolate that the object does not have yet: its limit set, and the rest of its row. */
export interface HoldDraft {
  readonly limitSet: LimitSetLine;
  readonly id: string;
  /** True if its id derives from a request id. */
  readonly named: boolean;
  readonly nanos: number;
  /** The tokens that rate limits counted of it. */
  readonly tokens: number;
  readonly at: number;
  readonly expiresAt: number;
  /** Null if nothing is known of its run. */
  readonly charge: HoldCharge | null;
}

/** The names in the run of a hold, reported or not. */
export interface HoldCharge {
  /** As text: equal calls are reported together. */
  readonly call: string;
  readonly inputTokens: number;
}

const LINE_BYTES = 100;
/** Of a line that has its tokens. */
const CHARGED_LINE_BYTES = 130;
const LIMIT_SET_BYTES = 40;

function weigh({ limitSet, charge }: HoldDraft, named: Set<unknown>): number {
  const ofLimitSet = weighLimitSet(limitSet, named);
  if (charge === null) return LINE_BYTES + ofLimitSet;
  if (named.has(charge.call)) return CHARGED_LINE_BYTES + ofLimitSet;
  named.add(charge.call);
  return CHARGED_LINE_BYTES + ofLimitSet + LIMIT_SET_BYTES + charge.call.length;
}

/**
 * A limit set is written once in a report, and its keys have quotes and line breaks, which are escaped to two or three
 * characters.
 */
function weighLimitSet(limitSet: LimitSetLine, named: Set<unknown>): number {
  if (named.has(limitSet)) return 0;
  named.add(limitSet);
  let bytes = LIMIT_SET_BYTES + limitSet.meters.length + (limitSet.customer?.length ?? 0);
  bytes += (limitSet.mark?.length ?? 0) + limitSet.keyId.length;
  for (const key of limitSet.keys) bytes += key.length + LIMIT_SET_BYTES;
  for (const key of limitSet.rates) bytes += key.length + LIMIT_SET_BYTES;
  return bytes;
}

/**
 * About 5,000 holds: far below what a region accepts at once, and a short wait for others while the object stores them.
 */
export const BOUNDS = { batchBytes: 131_072, reportBytes: 524_288, weigh };

/**
 * Holds as they are reported: those of one limit set together, and of these those of equal calls. New limit sets are
 * added to `limitSets`.
 */
export function byLimitSet(
  holds: readonly HoldDraft[],
  limitSets: Map<LimitSetLine, number>,
): ReportedHolds[] {
  const groups = new Map<LimitSetLine, Map<string | null, Group>>();
  for (const hold of holds) {
    const { limitSet, named, tokens, charge } = hold;
    const index = cached(limitSets, limitSet, () => limitSets.size);
    const ofLimitSet = cached(groups, limitSet, () => new Map<string | null, Group>());
    const group = cached(ofLimitSet, charge?.call ?? null, () => newGroup(index));
    const place = named ? 0 : 1;
    const line = withTokens(holdLine(hold), tokens);
    group.lines[place].push(charge === null ? line : withInput(line, charge.inputTokens));
  }
  return [...groups.values()].flatMap((ofLimitSet) =>
    [...ofLimitSet].map(([call, { index, lines }]): ReportedHolds =>
      call === null ? [index, ...lines] : [index, ...lines, null, readCall(call)],
    ),
  );
}

/** Named ones first. */
interface Group {
  readonly index: number;
  readonly lines: readonly [HoldLine[], HoldLine[]];
}

function newGroup(index: number): Group {
  return { index, lines: [[], []] };
}
