import { DurableObject } from "cloudflare:workers";
import type { ListQuery } from "../../src/contract/list.ts";
import { Sought } from "../../src/domain/id-index/sought.ts";
import { oncePresent } from "../../src/org/kernel/absent.ts";
import { transaction } from "../../src/org/kernel/journal/transaction.ts";
import type { DueContext } from "../../src/org/kernel/due/handler.ts";
import { archiveFile } from "../../src/org/runs/archive/work.ts";
import { bindArchive } from "../../src/org/runs/blocks/archive-binding.ts";
import { runBlocks } from "../../src/org/runs/blocks/blocks.ts";
import { pageOfRuns } from "../../src/org/runs/blocks/page.ts";
import { idKey } from "../../src/org/runs/ids/key.ts";
import { findRuns, insertRuns } from "../../src/org/runs/store.ts";
import { applySchema } from "../../src/org/schema.ts";
import { idOf, runAt } from "./archive-runs.ts";

interface Env {
  readonly STORE: DurableObjectNamespace<Store>;
  readonly ARCHIVE: R2Bucket;
}

const BATCH = 1000;

/** The runs of one org without the rest of it: stored, archived, found and listed by the product's own code. */
export class Store extends DurableObject<Env> {
  #reads = 0;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    applySchema(ctx.storage);
    const counted = (name: string, options: R2GetOptions) => {
      this.#reads += 1;
      return env.ARCHIVE.get(name, options);
    };
    const put = (name: string, bytes: Uint8Array) => env.ARCHIVE.put(name, bytes);
    const bucket = { get: counted, put } as unknown as R2Bucket;
    bindArchive(ctx.storage.sql, { bucket, orgId: "bench" });
  }

  /** Stores runs in batches, as bulk calls do, and archives all of them. */
  async fill(from: number, count: number): Promise<void> {
    const { storage } = this.ctx;
    for (let at = from; at < from + count; at += BATCH) {
      const runs = Array.from({ length: BATCH }, (_, index) => runAt(at + index));
      transaction(storage, () => insertRuns(storage.sql, runs));
    }
    const view = { sql: storage.sql, now: Number.MAX_SAFE_INTEGER };
    const context = { storage, view: () => view as ReturnType<DueContext["view"]> };
    while (await archiveFile(context)) continue;
  }

  /** How many of these runs are stored as they were. */
  async find(numbers: readonly number[]): Promise<{ found: number; reads: number }> {
    const { sql } = this.ctx.storage;
    const before = this.#reads;
    const { runs } = await oncePresent(() => findRuns(sql, new Sought(numbers.map(idOf), idKey(sql))));
    const found = numbers.filter((number) => runs.get(idOf(number))?.cost === runAt(number).cost);
    return { found: found.length, reads: this.#reads - before };
  }

  /** The ids of one page, and how many reads it took. */
  async page(query: ListQuery): Promise<{ ids: string[]; reads: number }> {
    const { sql } = this.ctx.storage;
    const before = this.#reads;
    const { runs } = await oncePresent(() =>
      pageOfRuns(sql, query, { apartOf: () => 0, without: new Set() }),
    );
    return { ids: runs.map(({ id }) => id), reads: this.#reads - before };
  }

  stats(): { runs: number; files: number; fileBytes: number; objectBytes: number; cost: string } {
    const { sql } = this.ctx.storage;
    const rows = sql
      .exec<{ runs: number; bytes: number; cost: string }>("SELECT runs, bytes, cost FROM run_files")
      .toArray();
    return {
      runs: runBlocks(sql).lastSeq,
      files: rows.length,
      fileBytes: rows.reduce((sum, { bytes }) => sum + bytes, 0),
      objectBytes: sql.databaseSize,
      cost: String(rows.reduce((sum, { cost }) => sum + BigInt(cost), 0n)),
    };
  }
}

type Asked =
  | { readonly method: "fill"; readonly args: [from: number, count: number] }
  | { readonly method: "find"; readonly args: [numbers: readonly number[]] }
  | { readonly method: "page"; readonly args: [query: ListQuery] }
  | { readonly method: "stats"; readonly args: [] };

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const store = env.STORE.getByName("one");
    const { method, args } = await request.json<Asked>();
    if (method === "fill") return Response.json(await store.fill(...args).then(() => null));
    if (method === "find") return Response.json(await store.find(...args));
    if (method === "page") return Response.json(await store.page(...args));
    return Response.json(await store.stats());
  },
};
