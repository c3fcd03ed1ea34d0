import type { Env } from "../../src/edge/env.ts";
import worker from "../../src/index.ts";
import { readEntries } from "../../src/storage/wal/entries.ts";
import { checkpointFirst } from "../../src/storage/transaction.ts";
import { RECENT } from "../../src/storage/key-index/key-index.ts";
import { runSegments } from "../../src/org/runs/segments/segments.ts";
import { noteFiles } from "./archived-files.ts";
import { OrgObject as Product } from "../../src/org/object.ts";

export * from "../../src/index.ts";

type BenchEnv = Omit<Env, "ORG"> & { readonly ORG: DurableObjectNamespace<OrgObject> };

/** What an object stores. */
export interface Stored {
  readonly files: number;
  readonly fileRuns: number;
  readonly fileBytes: number;
  readonly blocks: number;
  readonly objectBytes: number;
  /** By table. */
  readonly rows: Readonly<Record<string, number>>;
  readonly bytes: Readonly<Record<string, number>>;
}

/** Longer than any step, also where the machine is shared. */
const PATIENCE_MS = 5000;

/**
 * The places where the archive lets other calls go first. While it is watched, it stays at each until it is told to go on, so
 * that what happens between two of them can be measured from outside.
 */
class Steps {
  #isWatched = false;
  /** Several kinds of work may stay at once. */
  #goOn: (() => void)[] = [];
  #arrived: (() => void) | null = null;

  pause(): Promise<void> | null {
    if (!this.#isWatched) return null;
    return new Promise((resolve) => {
      this.#goOn.push(resolve);
      this.#arrived?.();
    });
  }

  watch(isWatched: boolean): void {
    this.#isWatched = isWatched;
    if (!isWatched) for (const goOn of this.#goOn.splice(0)) goOn();
  }

  /** Goes on to the next place. False if there is none for a while. */
  async next(): Promise<boolean> {
    const arrived = new Promise<void>((resolve) => {
      this.#arrived = resolve;
    });
    this.#goOn.shift()?.();
    await Promise.race([arrived, real.wait(PATIENCE_MS)]);
    return this.#goOn.length > 0;
  }
}

const { scheduler: real } = globalThis;
const steps = new Steps();
let reads = 0;
const wait: typeof real.wait = (ms, options) => (ms === 0 ? steps.pause() : null) ?? real.wait(ms, options);
Object.defineProperty(globalThis, "scheduler", { value: { wait } });

function watched(bucket: R2Bucket | undefined): R2Bucket | undefined {
  if (bucket === undefined) return undefined;
  const put = async (name: string, bytes: Uint8Array) => {
    await steps.pause();
    const written = await bucket.put(name, bytes);
    await steps.pause();
    return written;
  };
  return {
    get: (name: string, options: R2GetOptions) => {
      reads += 1;
      return bucket.get(name, options);
    },
    delete: (names: string[]) => bucket.delete(names),
    put,
  } as unknown as R2Bucket;
}

export class OrgObject extends Product {
  constructor(ctx: DurableObjectState, env: BenchEnv) {
    const ARCHIVE = watched(env.ARCHIVE);
    super(ctx, ARCHIVE === undefined ? env : { ...env, ARCHIVE });
  }

  watchSteps(isWatched: boolean): void {
    steps.watch(isWatched);
  }

  nextStep(): Promise<boolean> {
    return steps.next();
  }

  /** Of files, so far. */
  reads(): number {
    return reads;
  }

  checkpoint(): void {
    checkpointFirst(this.ctx.storage);
  }

  stored(): Stored {
    const { sql } = this.ctx.storage;
    const files = sql
      .exec<{ runs: number; bytes: number }>("SELECT runs, bytes FROM run_files WHERE state = 'made'")
      .toArray();
    const one = (query: string) => sql.exec<{ n: number }>(query).one().n;
    const rows: Record<string, number> = {};
    const bytes: Record<string, number> = {};
    const tables = sql
      .exec<{ name: string }>("SELECT name FROM sqlite_schema WHERE type = 'table'")
      .toArray();
    for (const { name } of tables) {
      if (name.startsWith("_cf_") || name.startsWith("sqlite_")) continue;
      const columns = sql.exec<{ name: string }>(`SELECT name FROM pragma_table_info('${name}')`).toArray();
      const length = columns.map((column) => `IFNULL(octet_length("${column.name}"), 0)`).join(" + ");
      rows[name] = one(`SELECT COUNT(*) AS n FROM ${name}`);
      bytes[name] = one(`SELECT IFNULL(SUM(${length}), 0) AS n FROM ${name}`);
    }
    return {
      files: files.length,
      fileRuns: files.reduce((sum, file) => sum + file.runs, 0),
      fileBytes: files.reduce((sum, file) => sum + file.bytes, 0),
      blocks: rows["run_blocks"] ?? 0,
      objectBytes: sql.databaseSize,
      rows,
      bytes,
    };
  }

  noteFiles(runs: number): void {
    noteFiles(this.ctx.storage.sql, runs);
  }

  ranges(): number {
    return runSegments(this.ctx.storage.sql).ranges.length;
  }

  /** How many entries wait for a checkpoint. */
  logEntries(): number {
    return readEntries(this.ctx.storage.sql).bodies.length;
  }

  /** How many more runs fill a segment of the index of ids. */
  room(): number {
    const { last } = this.ctx.storage.sql
      .exec<{ last: number | null }>(
        "SELECT MAX(last_seq) AS last FROM run_id_segments WHERE state <> 'gone'",
      )
      .one();
    return RECENT - (runSegments(this.ctx.storage.sql).lastSeq - (last ?? 0));
  }

  /** Whether old segments still wait for the archive. */
  waiting(): number {
    const { n } = this.ctx.storage.sql
      .exec<{ n: number }>("SELECT COUNT(*) AS n FROM run_blocks WHERE runs >= 512")
      .one();
    return n;
  }
}

/** The Worker, and beside it what an object stores, and its steps. */
export default {
  async fetch(request, env, context) {
    const { pathname, searchParams } = new URL(request.url);
    if (!pathname.startsWith("/bench/")) return worker.fetch(request, env, context);
    const object = env.ORG.getByName(searchParams.get("org") ?? "");
    switch (pathname) {
      case "/bench/stored":
        return Response.json(await object.stored());
      case "/bench/reads":
        return Response.json(await object.reads());
      case "/bench/log":
        return Response.json(await object.logEntries());
      case "/bench/files":
        return Response.json(await object.noteFiles(Number(searchParams.get("runs"))).then(() => true));
      case "/bench/ranges":
        return Response.json(await object.ranges());
      case "/bench/room":
        return Response.json(await object.room());
      case "/bench/waiting":
        return Response.json(await object.waiting());
      case "/bench/watch":
        return Response.json(await object.watchSteps(searchParams.get("on") === "1").then(() => true));
      case "/bench/next":
        return Response.json(await object.nextStep());
      case "/bench/checkpoint":
        return Response.json(await object.checkpoint().then(() => true));
      default:
        return new Response(null, { status: 404 });
    }
  },
} satisfies ExportedHandler<BenchEnv>;
