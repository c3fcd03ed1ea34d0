/**
 * Applies the schema steps that an object lacks. Published steps never change; new ones are appended. An object with more
 * steps than there are is of another version, and is left as it is.
 */
export function applySteps(storage: DurableObjectStorage, steps: readonly string[]): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    sql.exec(`CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT`);
    const { applied } = sql.exec<{ applied: number }>(`SELECT count(*) AS applied FROM schema_steps`).one();
    if (applied > steps.length)
      throw new Error("this object was made by another version, which had more schema steps");
    for (const [step, text] of steps.entries()) {
      if (step < applied) continue;
      sql.exec(text);
      sql.exec(`INSERT INTO schema_steps (step) VALUES (?)`, step);
    }
  });
}
