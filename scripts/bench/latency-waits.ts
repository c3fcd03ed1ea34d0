import type { BenchRow } from "./bench-row.ts";
import { figureOf, quantile, sorted } from "./statistics.ts";

/** Callers of one proxy, each with one call at a time, and how the model writes its answers. */
export interface LatencyLoad {
  readonly port: number;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly connections: number;
  readonly durationMs: number;
  readonly pieces: number;
  /** Between two pieces, and before the first. */
  readonly everyMs: number;
}

/** What callers waited for beyond the time that the model took, in milliseconds. */
export interface Waits {
  /** Until the first byte of the answer. */
  readonly firstMs: number[];
  readonly lastMs: number[];
  /** Of each piece: from the model to the caller. */
  readonly pieceMs: number[];
}

/** The most that governing may add, in milliseconds. */
const MOST_ADDED = { p50: 1, p99: 5 } as const;

const SHARES = { p50: 0.5, p99: 0.99 } as const;
type Share = keyof typeof SHARES;
const BYTES = { "first byte": "firstMs", "last byte": "lastMs", piece: "pieceMs" } as const;
export type Byte = keyof typeof BYTES;

export const waitName = (subject: string, connections: number, byte: Byte, share: Share): string =>
  `${subject}, ${connections} ${connections === 1 ? "connection" : "connections"}: ${byte}, ${share}`;

export const addedName = (connections: number, byte: Byte, share: Share): string =>
  waitName("governing adds", connections, byte, share);

function waitOf(waits: Waits, byte: Byte, share: Share): number {
  return quantile(sorted(waits[BYTES[byte]]), SHARES[share]);
}

/** A target is what governing may add at most. Null: what is waited, whatever it is. */
function row(name: string, perRound: readonly number[], target: number | null): BenchRow {
  const { median: ms, spread } = figureOf(perRound, target ?? 0);
  return {
    name,
    perSecond: Number(ms.toFixed(2)),
    cpuMicros: null,
    spread: perRound.length > 1 ? spread : null,
    ratio: null,
    of: target === null ? "ms" : "ms, at most",
    target,
    note: `each round: ${perRound.map((one) => one.toFixed(2)).join(", ")}`,
  };
}

/** What callers of one proxy waited, round by round. Null is a round that failed; without another there is nothing to tell. */
export function waitRows(
  subject: string,
  connections: number,
  rounds: readonly (Waits | null)[],
): BenchRow[] {
  const good = rounds.filter((waits) => waits !== null);
  if (good.length === 0) return [];
  return Object.keys(BYTES).flatMap((byte) =>
    Object.keys(SHARES).map((share) => {
      const of = [byte as Byte, share as Share] as const;
      const perRound = good.map((waits) => waitOf(waits, ...of));
      return row(waitName(subject, connections, ...of), perRound, null);
    }),
  );
}

/** What governed callers waited longer than others, in the same rounds. */
export function addedRows(
  connections: number,
  governed: readonly (Waits | null)[],
  plain: readonly (Waits | null)[],
): BenchRow[] {
  return (["first byte", "piece"] as const).flatMap((byte) =>
    Object.keys(SHARES).flatMap((name) => {
      const share = name as Share;
      const added = governed.flatMap((waits, round) => {
        const other = plain[round] ?? null;
        return waits === null || other === null
          ? []
          : [waitOf(waits, byte, share) - waitOf(other, byte, share)];
      });
      return added.length === 0 ? [] : [row(addedName(connections, byte, share), added, MOST_ADDED[share])];
    }),
  );
}
