/** The org itself: one row. */
export interface Profile {
  readonly id: string;
  readonly name: string;
  readonly status: "active" | "suspended";
  readonly plan: string;
  readonly environment: "live" | "test";
  readonly homeRegion: string;
  /** Canonical CIDR texts. */
  readonly ipAllowList: readonly string[];
  readonly createdAt: number;
  /** How far an operator has moved this (test) org's clock ahead of the real one. */
  readonly clockOffsetMs: number;
}
