import type { TokenPrice } from "../../domain/money.ts";

/** The price book: what a million tokens of a model cost, and where it may run. */
type ModelRow = {
  model: string;
  input_nanos_per_mtok: string;
  output_nanos_per_mtok: string;
  regions: string | null;
  created_at: number;
  updated_at: number;
};

function loadModel(sql: SqlStorage, model: string): ModelRow | null {
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
