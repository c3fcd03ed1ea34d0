/** Applies the schema steps that an object lacks. Published steps never change; new ones are appended. */
export function applySteps(storage: DurableObjectStorage, steps: readonly string[]): void {
  storage.transactionSync(() => {
    const { sql } = storage;
    sql.exec(`CREATE TABLE IF NOT EXISTS schema_steps (step INTEGER PRIMARY KEY) STRICT`);
    const { applied } = sql.exec<{ applied: number }>(`SELECT count(*) AS applied FROM schema_steps`).one();
    for (const [step, text] of steps.entries()) {
      if (step < applied) continue;
      sql.exec(text);
      sql.exec(`INSERT INTO schema_steps (step) VALUES (?)`, step);
    }
  });
}
