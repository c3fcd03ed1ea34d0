import { ByteReader } from "../../bytes/byte-reader.ts";
import { type RowGroup, rowGroupsOf } from "./row-groups.ts";
import { readNames } from "./names.ts";
import type { StoredScopes } from "../../../contract/scopes.ts";
import { COLUMN_NUMBERS, type NameColumn, type RunRecord, SCOPE_COLUMNS } from "./record.ts";
import { readTexts } from "./texts.ts";

export type RunAmounts = Pick<RunRecord, "cost" | "inputTokens" | "outputTokens" | "depth">;

/** Runs that are stored together. A column is decoded when it is first needed. */
export class RunColumns {
  readonly count: number;
  readonly #rowGroups: readonly RowGroup[];
  readonly #decoded = new Map<keyof RunRecord, readonly unknown[]>();

  constructor(bytes: Uint8Array) {
    this.#rowGroups = rowGroupsOf(bytes);
    this.count = this.#rowGroups.reduce((sum, rowGroup) => sum + rowGroup.count, 0);
  }

  get ids(): readonly string[] {
    return this.#column("id", (reader, count) => readTexts(reader, count) as string[], "");
  }

  moments(column: "startedAt" | "recordedAt"): readonly number[] {
    return this.#column(column, readSteps, 0);
  }

  get costs(): readonly bigint[] {
    return this.#column("cost", (reader, count) => times(count, () => reader.amount()), 0n);
  }

  /** The moments whose windows its runs were charged to. */
  get chargedAt(): readonly number[] {
    const recordedAt = this.moments("recordedAt");
    const before = this.#column("chargedAt", readSigned, 0);
    return before.map((ms, at) => (recordedAt[at] ?? 0) - ms);
  }

  /** What limits count of a run. */
  amounts(at: number): RunAmounts {
    return {
      cost: this.costs[at] ?? 0n,
      inputTokens: this.#counts("inputTokens")[at] ?? 0,
      outputTokens: this.#counts("outputTokens")[at] ?? 0,
      depth: this.#counts("depth")[at] ?? 0,
    };
  }

  /** The JSON of what a run has beside its columns. */
  extraText(at: number): string | null {
    return this.#texts("extra")[at] ?? null;
  }

  names(column: NameColumn): readonly (string | null)[] {
    return this.#column(column, readNames, null);
  }

  *[Symbol.iterator](): Generator<RunRecord> {
    for (let at = 0; at < this.count; at += 1) yield this.row(at);
  }

  row(at: number): RunRecord {
    const startedAt = this.moments("startedAt")[at] ?? 0;
    const recordedAt = this.moments("recordedAt")[at] ?? 0;
    const lasted = this.#counts("endedAt")[at] ?? 0;
    const extra = this.extraText(at);
    return {
      id: this.ids[at] ?? "",
      startedAt,
      endedAt: lasted === 0 ? null : startedAt + lasted - 1,
      chargedAt: recordedAt - (this.#column("chargedAt", readSigned, 0)[at] ?? 0),
      recordedAt,
      model: this.names("model")[at] ?? "",
      action: this.names("action")[at] ?? null,
      ...this.#scopes(at),
      chainId: this.names("chainId")[at] ?? null,
      parentRunId: this.#texts("parentRunId")[at] ?? null,
      ...this.amounts(at),
      charges: this.names("charges")[at] ?? "",
      userId: this.names("userId")[at] ?? null,
      provider: this.names("provider")[at] ?? null,
      keyId: this.names("keyId")[at] ?? null,
      outcome: this.names("outcome")[at] ?? null,
      tags: this.names("tags")[at] ?? null,
      extra: extra === null ? null : (JSON.parse(extra) as object),
    };
  }

  #scopes(at: number): StoredScopes {
    const scopes: Partial<Record<keyof StoredScopes, string | null>> = {};
    for (const column of SCOPE_COLUMNS) scopes[column] = this.names(column)[at] ?? null;
    return scopes as StoredScopes;
  }

  /** The length of a run's `extra` text. */
  charactersOf(at: number): number {
    return this.extraText(at)?.length ?? 0;
  }

  #counts(column: "endedAt" | "inputTokens" | "outputTokens" | "depth"): readonly number[] {
    return this.#column(column, (reader, count) => times(count, () => reader.count()), 0);
  }

  #texts(column: "parentRunId" | "extra"): readonly (string | null)[] {
    return this.#column(column, readTexts, null);
  }

  #column<T>(
    column: keyof RunRecord,
    read: (reader: ByteReader, count: number) => T[],
    missing: T,
  ): readonly T[] {
    const decoded = this.#decoded.get(column);
    if (decoded !== undefined) return decoded as readonly T[];
    const parts = this.#rowGroups.map(({ count, columns }) => {
      const bytes = columns.get(COLUMN_NUMBERS[column]);
      return bytes === undefined ? Array<T>(count).fill(missing) : read(new ByteReader(bytes), count);
    });
    const values = parts.length === 1 ? (parts[0] ?? []) : parts.flat(1);
    this.#decoded.set(column, values);
    return values;
  }
}

function readSteps(reader: ByteReader, count: number): number[] {
  let moment = 0;
  return times(count, () => (moment += reader.signed()));
}

function readSigned(reader: ByteReader, count: number): number[] {
  return times(count, () => reader.signed());
}

function times<T>(count: number, read: () => T): T[] {
  const values: T[] = [];
  for (let at = 0; at < count; at += 1) values.push(read());
  return values;
}
