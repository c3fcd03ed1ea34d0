import { ByteReader } from "../../bytes/byte-reader.ts";
import { type RowGroup, rowGroupsOf } from "./row-groups.ts";
import { findPlaces, readDistinctNames, readName, readNames } from "./names.ts";
import type { StoredScopes } from "../../../contract/scopes.ts";
import { COLUMN_NUMBERS, type NameColumn, type RunRecord, SCOPE_COLUMNS } from "./record.ts";
import { readText, readTexts } from "./texts.ts";

export type RunAmounts = Pick<RunRecord, "cost" | "inputTokens" | "outputTokens" | "depth">;

/** How a column is read: all of it, or the value of one run without making those of the others. */
interface Codec<T> {
  readonly all: (reader: ByteReader, count: number) => T[];
  readonly one: (reader: ByteReader, count: number, at: number) => T | undefined;
  /** The value of runs that were stored without the column. */
  readonly missing: T;
}

const COUNTS = numbers((reader) => reader.count(), 0);
const SIGNED = numbers((reader) => reader.signed(), 0);
const COSTS = numbers((reader) => reader.amount(), 0n);
const STEPS: Codec<number> = {
  all: readSteps,
  one: (reader, _count, at) => readSteps(reader, at + 1)[at],
  missing: 0,
};
const TEXTS: Codec<string | null> = {
  all: readTexts,
  one: readText,
  missing: null,
};
const NAMES: Codec<string | null> = {
  all: readNames,
  one: (reader, _count, at) => readName(reader, at),
  missing: null,
};

/** So many values of a column are read by themselves. With the next, all of it is decoded. */
const MOST_ALONE = 4;
/** A column of names that no run has one in: no name, and the last of them is that of every run. */
const NO_NAMES = Uint8Array.of(0, 1);

/** Reads the value that a run has in a column. */
type ValueOf = <T>(column: keyof RunRecord, codec: Codec<T>) => T;

/** Runs that are stored together. A column is decoded when it is first needed. */
export class RunColumns {
  readonly count: number;
  readonly #rowGroups: readonly RowGroup[];
  readonly #decoded = new Map<keyof RunRecord, readonly unknown[]>();
  readonly #readAlone = new Map<keyof RunRecord, number>();

  constructor(bytes: Uint8Array) {
    this.#rowGroups = rowGroupsOf(bytes);
    this.count = this.#rowGroups.reduce((sum, rowGroup) => sum + rowGroup.count, 0);
  }

  get ids(): readonly string[] {
    return this.#column("id", TEXTS) as readonly string[];
  }

  moments(column: "startedAt" | "recordedAt"): readonly number[] {
    return this.#column(column, STEPS);
  }

  get costs(): readonly bigint[] {
    return this.#column("cost", COSTS);
  }

  /** The moments whose windows its runs were charged to. */
  get chargedAt(): readonly number[] {
    const recordedAt = this.moments("recordedAt");
    return this.#column("chargedAt", SIGNED).map((ms, at) => (recordedAt[at] ?? 0) - ms);
  }

  /** Returns what limits count of a run. */
  amounts(at: number): RunAmounts {
    return amountsBy(this.#wholeColumns(at));
  }

  /** The JSON of what a run has beside its columns. */
  extraText(at: number): string | null {
    return this.#column("extra", TEXTS)[at] ?? null;
  }

  names(column: NameColumn): readonly (string | null)[] {
    return this.#column(column, NAMES);
  }

  /** The names in a column. Runs that were not stored together may share one, which then comes more than once. */
  distinctNames(column: NameColumn): string[] {
    return this.#rowGroups.flatMap(({ columns }) =>
      readDistinctNames(new ByteReader(columns.get(COLUMN_NUMBERS[column]) ?? NO_NAMES)),
    );
  }

  /** The places of the runs that have a name in a column; null: of those that have none. */
  placesOf(column: NameColumn, name: string | null): number[] {
    let before = 0;
    return this.#rowGroups.flatMap(({ count, columns }) => {
      const first = before;
      before += count;
      const bytes = columns.get(COLUMN_NUMBERS[column]) ?? NO_NAMES;
      return findPlaces(new ByteReader(bytes), count, name).map((place) => first + place);
    });
  }

  *[Symbol.iterator](): Generator<RunRecord> {
    for (let at = 0; at < this.count; at += 1) yield this.row(at);
  }

  /** One run of many that are read: each column is decoded as a whole. */
  row(at: number): RunRecord {
    return rowBy(this.#wholeColumns(at));
  }

  /** A run of which nobody knows whether others of the segment are read. */
  rowAlone(at: number): RunRecord {
    return rowBy((column, codec) => this.#value(column, codec, at));
  }

  idAlone(at: number): string {
    return this.#value("id", TEXTS, at) ?? "";
  }

  /** The length of a run's `extra` text. */
  charactersOf(at: number): number {
    return this.#value("extra", TEXTS, at)?.length ?? 0;
  }

  #wholeColumns(at: number): ValueOf {
    return (column, codec) => this.#column(column, codec)[at] ?? codec.missing;
  }

  #value<T>(column: keyof RunRecord, codec: Codec<T>, at: number): T {
    const alone = this.#readAlone.get(column) ?? 0;
    if (alone >= MOST_ALONE || this.#decoded.has(column)) return this.#wholeColumns(at)(column, codec);
    this.#readAlone.set(column, alone + 1);
    let place = at;
    for (const { count, columns } of this.#rowGroups) {
      if (place < count) {
        const bytes = columns.get(COLUMN_NUMBERS[column]);
        const value = bytes === undefined ? undefined : codec.one(new ByteReader(bytes), count, place);
        return value ?? codec.missing;
      }
      place -= count;
    }
    return codec.missing;
  }

  #column<T>(column: keyof RunRecord, { all, missing }: Codec<T>): readonly T[] {
    const decoded = this.#decoded.get(column);
    if (decoded !== undefined) return decoded as readonly T[];
    const parts = this.#rowGroups.map(({ count, columns }) => {
      const bytes = columns.get(COLUMN_NUMBERS[column]);
      return bytes === undefined ? Array<T>(count).fill(missing) : all(new ByteReader(bytes), count);
    });
    const values = parts.length === 1 ? (parts[0] ?? []) : parts.flat(1);
    this.#decoded.set(column, values);
    return values;
  }
}

function rowBy(valueOf: ValueOf): RunRecord {
  const startedAt = valueOf("startedAt", STEPS);
  const recordedAt = valueOf("recordedAt", STEPS);
  const lasted = valueOf("endedAt", COUNTS);
  const extra = valueOf("extra", TEXTS);
  const nameIn = (column: NameColumn) => valueOf(column, NAMES);
  return {
    id: valueOf("id", TEXTS) ?? "",
    startedAt,
    endedAt: lasted === 0 ? null : startedAt + lasted - 1,
    chargedAt: recordedAt - valueOf("chargedAt", SIGNED),
    recordedAt,
    model: nameIn("model") ?? "",
    action: nameIn("action"),
    ...scopesBy(nameIn),
    chainId: nameIn("chainId"),
    parentRunId: valueOf("parentRunId", TEXTS),
    ...amountsBy(valueOf),
    charges: nameIn("charges") ?? "",
    userId: nameIn("userId"),
    provider: nameIn("provider"),
    keyId: nameIn("keyId"),
    outcome: nameIn("outcome"),
    tags: nameIn("tags"),
    extra: extra === null ? null : (JSON.parse(extra) as object),
  };
}

function scopesBy(nameIn: (column: NameColumn) => string | null): StoredScopes {
  const scopes: Partial<Record<keyof StoredScopes, string | null>> = {};
  for (const column of SCOPE_COLUMNS) scopes[column] = nameIn(column);
  return scopes as StoredScopes;
}

function amountsBy(valueOf: ValueOf): RunAmounts {
  return {
    cost: valueOf("cost", COSTS),
    inputTokens: valueOf("inputTokens", COUNTS),
    outputTokens: valueOf("outputTokens", COUNTS),
    depth: valueOf("depth", COUNTS),
  };
}

/** Numbers that are each written by themselves. To skip one, it need not be made. */
function numbers<T>(read: (reader: ByteReader) => T, missing: T): Codec<T> {
  return {
    all: (reader, count) => times(count, () => read(reader)),
    one(reader, _count, at) {
      for (let before = 0; before < at; before += 1) reader.skipNumber();
      return read(reader);
    },
    missing,
  };
}

function readSteps(reader: ByteReader, count: number): number[] {
  let moment = 0;
  return times(count, () => (moment += reader.signed()));
}

function times<T>(count: number, read: () => T): T[] {
  const values: T[] = [];
  for (let at = 0; at < count; at += 1) values.push(read());
  return values;
}
