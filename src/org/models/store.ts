import { formatUsd, type TokenPrice } from "../../domain/money.ts";
import type { Model } from "../../contract/resources/models.ts";

/** The price book: what a million tokens of a model cost, and where it may run. */
export type ModelRow = {
  model: string;
  input_nanos_per_mtok: string;
  output_nanos_per_mtok: string;
  regions: string | null;
  created_at: number;
  updated_at: number;
};

export function loadModel(sql: SqlStorage, model: string): ModelRow | null {
  return sql.exec<ModelRow>("SELECT * FROM models WHERE model = ?", model).toArray()[0] ?? null;
}

export function priceOf(sql: SqlStorage, model: string): TokenPrice | null {
  const row = loadModel(sql, model);
  if (row === null) return null;
  return {
    inputNanosPerMtok: BigInt(row.input_nanos_per_mtok),
    outputNanosPerMtok: BigInt(row.output_nanos_per_mtok),
  };
}

export function saveModel(sql: SqlStorage, row: ModelRow): void {
  sql.exec(
    `INSERT INTO models (model, input_nanos_per_mtok, output_nanos_per_mtok, regions, created_at, updated_at)
     VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (model) DO UPDATE SET input_nanos_per_mtok = excluded.input_nanos_per_mtok,
       output_nanos_per_mtok = excluded.output_nanos_per_mtok, regions = excluded.regions,
       updated_at = excluded.updated_at`,
    row.model,
    row.input_nanos_per_mtok,
    row.output_nanos_per_mtok,
    row.regions,
    row.created_at,
    row.updated_at,
  );
}

export function toModel(row: ModelRow): Model {
  return {
    model: row.model,
    input_usd_per_mtok: formatUsd(BigInt(row.input_nanos_per_mtok)),
    output_usd_per_mtok: formatUsd(BigInt(row.output_nanos_per_mtok)),
    regions: row.regions === null ? null : (JSON.parse(row.regions) as string[]),
    created_at: new Date(row.created_at).toISOString(),
    updated_at: new Date(row.updated_at).toISOString(),
  };
}
