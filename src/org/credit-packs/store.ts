import type { CreditPack } from "../../domain/meter/credit.ts";
import { type MeterRow, toMeter } from "../meters/store.ts";

/** The fields of a pack that its meter does not have. */
export interface PackExtra {
  readonly priority: number;
  readonly effectiveAt: number;
  readonly expiresAt: number | null;
  readonly voidedAt: number | null;
  readonly thresholds: readonly string[];
}

export function packExtra(row: MeterRow): PackExtra {
  return JSON.parse(row.extra) as PackExtra;
}

export function toPack(row: MeterRow): CreditPack {
  const { priority, effectiveAt, expiresAt, voidedAt } = packExtra(row);
  return {
    // No pack changes by itself.
    meter: toMeter(row, row.since),
    priority,
    effectiveAtMs: effectiveAt,
    expiresAtMs: expiresAt,
    voidedAtMs: voidedAt,
  };
}
