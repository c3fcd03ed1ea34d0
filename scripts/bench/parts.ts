import type { BenchRow } from "./bench-row.ts";
import { said } from "./rows-of-rounds.ts";

export type Part = () => Promise<BenchRow[]>;

export interface EndedPart {
  readonly name: string;
  readonly rows: readonly BenchRow[];
  readonly seconds: number;
}

/**
 * One part after another, each handed over as it ends, so that nothing that was measured is lost with what comes after it. A
 * part that cannot be measured is a row that says why.
 */
export async function runParts(
  parts: readonly (readonly [name: string, run: Part])[],
  onEnd: (part: EndedPart) => void,
): Promise<BenchRow[]> {
  const all: BenchRow[] = [];
  for (const [name, run] of parts) {
    const began = performance.now();
    const rows = await run().catch((error: unknown) => [failedRow(name, said(error))]);
    all.push(...rows);
    onEnd({ name, rows, seconds: (performance.now() - began) / 1000 });
  }
  return all;
}

export function failedRow(name: string, failure: string): BenchRow {
  return { name, perSecond: null, cpuMicros: null, ratio: null, of: null, target: null, note: "", failure };
}
