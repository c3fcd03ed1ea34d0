import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { OrgObject as Product } from "../../src/org/object.ts";

export * from "../../src/index.ts";

/** What an object has written since it was last asked: rows by table, and how many reports and decisions it was for. */
export interface Written {
  readonly rows: Readonly<Record<string, number>>;
  /** Of leases. */
  readonly reports: number;
  /** That the object made. */
  readonly decisions: number;
}

type CountingEnv = Omit<Env, "ORG"> & { readonly ORG: DurableObjectNamespace<OrgObject> };

const WRITTEN = /^\s*(?:INSERT(?: OR \w+)? INTO|UPDATE|DELETE FROM)\s+"?(\w+)/i;

/** The product's object; the rows that its statements write are counted as the platform counts them. */
export class OrgObject extends Product {
  readonly #cursors: (readonly [table: string, cursor: { readonly rowsWritten: number }])[];
  #reports = 0;
  #decisions = 0;

  constructor(ctx: DurableObjectState, env: CountingEnv) {
    const { storage } = ctx;
    const cursors: (readonly [string, { readonly rowsWritten: number }])[] = [];
    const exec = storage.sql.exec.bind(storage.sql);
    const counted = (...given: Parameters<typeof exec>) => {
      const cursor = exec(...given);
      const [, table] = WRITTEN.exec(given[0]) ?? [];
      if (table !== undefined) cursors.push([table, cursor]);
      return cursor;
    };
    Object.defineProperty(storage.sql, "exec", { value: counted });
    const setAlarm = storage.setAlarm.bind(storage);
    // The platform bills setting an alarm as a row.
    Object.defineProperty(storage, "setAlarm", {
      value: (at: number) => {
        cursors.push(["(alarm)", { rowsWritten: 1 }]);
        return setAlarm(at);
      },
    });
    super(ctx, env);
    this.#cursors = cursors;
  }

  override syncLeases(report: string): string | null {
    this.#reports += 1;
    return super.syncLeases(report);
  }

  override decide(...given: Parameters<Product["decide"]>): ReturnType<Product["decide"]> {
    this.#decisions += 1;
    return super.decide(...given);
  }

  written(): Written {
    const rows: Record<string, number> = {};
    for (const [table, { rowsWritten }] of this.#cursors.splice(0)) {
      if (rowsWritten > 0) rows[table] = (rows[table] ?? 0) + rowsWritten;
    }
    const [reports, decisions] = [this.#reports, this.#decisions];
    this.#reports = 0;
    this.#decisions = 0;
    return { rows, reports, decisions };
  }
}

/** The Worker, and beside it what was written, and decisions that the object makes. */
export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    const object = () => env.ORG.getByName(searchParams.get("org") ?? "");
    if (pathname === "/bench/written") return Response.json(await object().written());
    if (pathname !== "/bench/decide") {
      return worker.fetch(request, env, context);
    }
    const actor = { kind: "system", id: "bench", role: "owner", onBehalfOf: null, address: null } as const;
    const envelope = { actor, trace: "bench", idempotency: null, ifMatch: null };
    const ask = { estimate: { cost_usd: "0.01" }, customer_id: "c" };
    const verdict = await object().decide({ ask, keyId: actor.id, wantsPlan: false, envelope, report: null });
    return new Response(verdict?.text ?? "null");
  },
} satisfies ExportedHandler<CountingEnv>;
