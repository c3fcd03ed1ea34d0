import { DurableObject } from "cloudflare:workers";

interface Env {
  readonly TABLE: DurableObjectNamespace<OneTable>;
  readonly UNIQUE: DurableObjectNamespace<UniqueTable>;
}

interface BareRun {
  readonly id: string;
  readonly started_at: string;
  readonly model: string;
  readonly usage: { readonly input_tokens: number; readonly output_tokens: number };
  readonly [field: string]: unknown;
}

/**
 * The ceiling: an object that parses the same body and inserts the same rows into one table, and does nothing else. It has no
 * index, checks no field, does not look for runs that it has, and adds nothing up.
 */
export class OneTable extends DurableObject {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec(`CREATE TABLE IF NOT EXISTS runs (seq INTEGER PRIMARY KEY, id TEXT NOT NULL,
      started_at INTEGER NOT NULL, charged_at INTEGER NOT NULL, recorded_at INTEGER NOT NULL, chain_id TEXT,
      cost INTEGER NOT NULL, data TEXT NOT NULL) STRICT`);
  }

  insert(text: string): number {
    const now = Date.now();
    const { runs } = JSON.parse(text) as { runs: BareRun[] };
    const rows = runs.map((run) => [
      run.id,
      Date.parse(run.started_at),
      "1250000",
      JSON.stringify([
        run.model,
        run["action"],
        run["workflow_id"],
        run["deployment_id"],
        run["department_id"],
        run["customer_id"],
        run.usage.input_tokens,
        run.usage.output_tokens,
        "x".repeat(110),
        null,
        null,
        0,
        null,
      ]),
    ]);
    this.ctx.storage.sql.exec(
      `INSERT OR IGNORE INTO runs (id, started_at, cost, data, recorded_at, charged_at, chain_id)
       SELECT row ->> 0, row ->> 1, CAST(row ->> 2 AS INTEGER), row ->> 3, ?1, ?1, NULL
       FROM (SELECT value AS row FROM json_each(?2) LIMIT -1 OFFSET 0)`,
      now,
      JSON.stringify(rows),
    );
    return rows.length;
  }
}

/** The least that a ledger needs of a table: a run that is sent again is not stored again. */
export class UniqueTable extends OneTable {
  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    ctx.storage.sql.exec("CREATE UNIQUE INDEX IF NOT EXISTS runs_by_id ON runs (id)");
  }
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const isUnique = new URL(request.url).pathname === "/unique";
    const table = isUnique ? env.UNIQUE.getByName("one") : env.TABLE.getByName("one");
    const inserted = await table.insert(await request.text());
    return Response.json({ inserted });
  },
};
