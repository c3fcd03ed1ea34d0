/** A run as a block stores it. */
export interface RunRecord {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly chargedAt: number;
  readonly recordedAt: number;
  readonly model: string;
  readonly action: string | null;
  readonly workflowId: string | null;
  readonly deploymentId: string | null;
  readonly departmentId: string | null;
  readonly customerId: string | null;
  readonly chainId: string | null;
  readonly parentRunId: string | null;
  readonly depth: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: bigint;
  readonly charges: string;
  /** Any JSON object. */
  readonly extra: object | null;
}

/** Columns of which many runs share few values. */
export const NAME_COLUMNS = [
  "model",
  "action",
  "workflowId",
  "deploymentId",
  "departmentId",
  "customerId",
  "chainId",
  "charges",
] as const satisfies readonly (keyof RunRecord)[];
export type NameColumn = (typeof NAME_COLUMNS)[number];

/**
 * Every column by its number in a frame. A number is never used for another column. A reader skips columns that it does
 * not know and takes those that are missing for null or 0, so columns can be added.
 */
export const COLUMN_NUMBERS = {
  id: 1,
  startedAt: 2,
  recordedAt: 3,
  chargedAt: 4,
  endedAt: 5,
  cost: 6,
  inputTokens: 7,
  outputTokens: 8,
  depth: 9,
  model: 10,
  action: 11,
  workflowId: 12,
  deploymentId: 13,
  departmentId: 14,
  customerId: 15,
  chainId: 16,
  charges: 17,
  parentRunId: 18,
  extra: 19,
} as const satisfies Record<keyof RunRecord, number>;
