import { DIMENSIONS, type DimensionProperty } from "../../../contract/dimensions.ts";
import { NAMED_SCOPES, type StoredScopes } from "../../../contract/scopes.ts";

/** A run as a segment stores it. */
export interface RunRecord extends StoredScopes {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly chargedAt: number;
  readonly recordedAt: number;
  readonly model: string;
  readonly action: string | null;
  readonly chainId: string | null;
  readonly parentRunId: string | null;
  readonly depth: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cost: bigint;
  readonly charges: string;
  readonly userId: string | null;
  readonly provider: string | null;
  /** The key that reported the run. */
  readonly keyId: string | null;
  /** Null means completed. */
  readonly outcome: string | null;
  /** A JSON object of texts. The same tags are the same text. */
  readonly tags: string | null;
  /** Any JSON object. */
  readonly extra: object | null;
}

export const SCOPE_COLUMNS = NAMED_SCOPES.map((kind) => `${kind}Id` as const);

/** Columns in which many runs share few values. */
export type NameColumn = DimensionProperty | "action" | "chainId" | "charges" | "tags";
export const NAME_COLUMNS: readonly NameColumn[] = [
  "model",
  "action",
  ...SCOPE_COLUMNS,
  "chainId",
  "charges",
  "userId",
  "provider",
  "keyId",
  "outcome",
  "tags",
];

/**
 * Every column by its number in a row group. A number is never reused. A reader skips columns that it does not know, and
 * reads missing ones as null or 0, so columns can be added.
 */
export const COLUMN_NUMBERS: Readonly<Record<keyof RunRecord, number>> = {
  id: 1,
  startedAt: 2,
  recordedAt: 3,
  chargedAt: 4,
  endedAt: 5,
  cost: 6,
  inputTokens: 7,
  outputTokens: 8,
  depth: 9,
  ...(Object.fromEntries(DIMENSIONS.map(({ property, column }) => [property, column])) as Record<
    DimensionProperty,
    number
  >),
  action: 11,
  chainId: 16,
  charges: 17,
  parentRunId: 18,
  extra: 19,
  tags: 23,
};
