import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Server, startServer } from "../server.ts";
import type { BenchRow } from "./bench-row.ts";
import { BUDGETS, CONSOLE_RUNS, type ConsoleOrg, consoleOrg, CUSTOMERS, sent } from "./console-org.ts";
import { consolePages, type MeasuredPage } from "./console-pages.ts";
import { QUICK } from "./harness.ts";
import { BENCH_FOLDER, BENCH_ROWS, IS_ONE_OF_ALL } from "./options.ts";
import { failedRow } from "./parts.ts";
import { said } from "./rows-of-rounds.ts";
import { figureOf, median } from "./statistics.ts";

/** The CPU of every page of the console of a large org until its first and last byte: right after its object woke, and again. */

const VIEWS = QUICK ? 1 : IS_ONE_OF_ALL ? 3 : 5;
/** Until the code of a page is compiled. */
const WARM_UPS = QUICK ? 2 : 3;
/** The most CPU that one view may take until its first byte, in milliseconds. */
const MOST_MS = 50;
/** What a page leaves to be done is not counted with the next. */
const SETTLE_MS = 50;
const AT_REST_MS = 3000;
const MOST_WAITS = IS_ONE_OF_ALL ? 20 : 400;

interface Reader {
  readonly base: string;
  readonly cookie: string;
  readonly pid: number;
}

export async function run(): Promise<BenchRow[]> {
  const folder = BENCH_FOLDER ?? mkdtempSync(join(tmpdir(), "sluice-console-"));
  const server = await startServer({ port: 0, dataDir: join(folder, "data") });
  const pid = Number(readFileSync(join(server.folder.path, "workerd.pid"), "utf8"));
  try {
    const org = await consoleOrg(server, join(folder, "bench-console.json"));
    await atRest(pid);
    const [base] = server.urls;
    const pages = await consolePages();
    const read = { base, cookie: await signIn(server, org), pid };
    const operate = { base, cookie: await signInOperator(server), pid };
    return [
      ...(await measureAll(pages.console, read, () => server.evict(org.id))),
      ...(await measureAll(pages.operator, operate, () => server.evict(org.id))),
    ];
  } finally {
    await server.dispose();
    if (BENCH_FOLDER === null) rmSync(folder, { recursive: true, force: true });
  }
}

/** Until the object has merged, summed and archived what came in. */
async function atRest(pid: number): Promise<void> {
  for (let waits = 0; waits < MOST_WAITS; waits += 1) {
    const before = cpuMs(pid);
    await sleep(AT_REST_MS);
    if (cpuMs(pid) - before < AT_REST_MS / 50) return;
  }
}

/** The cookie of somebody who signed in with a link. */
async function signIn(server: Server, { id }: ConsoleOrg): Promise<string> {
  const answer = await sent(() => fetch(server.signInLink(id, server.urls[0]), { redirect: "manual" }));
  return cookieOf(answer);
}

async function signInOperator(server: Server): Promise<string> {
  const url = `${server.urls[0]}/operator/login`;
  const form = await fetch(url);
  const text = await form.text();
  const fields = new URLSearchParams({ key: server.settings["SVC_OPERATOR_KEY"] ?? "" });
  for (const name of ["_csrf", "_once"]) {
    fields.set(name, new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? "");
  }
  const headers = { cookie: cookieOf(form), origin: server.urls[0] };
  return cookieOf(await fetch(url, { method: "POST", headers, body: fields, redirect: "manual" }));
}

const cookieOf = (answer: Response): string => answer.headers.get("set-cookie")?.split(";")[0] ?? "";

async function measureAll(
  pages: readonly MeasuredPage[],
  reader: Reader,
  evict: () => Promise<void>,
): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  const links: string[] = [];
  for (const page of pages) {
    const isMeasured = BENCH_ROWS === null || page.name.includes(BENCH_ROWS);
    try {
      const path = page.addressIn(links);
      if (path === null) throw new Error("no page links to one");
      const text = await view(reader, path);
      links.push(...[...text.matchAll(/href="(\/[^"?#]+)"/g)].map(([, link = ""]) => link));
      if (isMeasured) rows.push(await measured(page.name, path, reader, evict));
    } catch (error) {
      // The other pages are measured all the same.
      if (isMeasured) rows.push(failedRow(page.name, `every round: ${said(error)}`));
    }
  }
  return rows;
}

async function measured(
  name: string,
  path: string,
  reader: Reader,
  evict: () => Promise<void>,
): Promise<BenchRow> {
  for (let nth = 0; nth < WARM_UPS; nth += 1) await costMs(reader, path);
  const [woken, again]: [Cost[], Cost[]] = [[], []];
  for (let round = 0; round < VIEWS; round += 1) {
    await evict().catch(refuseOtherThanIdle);
    woken.push(await costMs(reader, path));
    again.push(await costMs(reader, path));
  }
  return rowOf(name, woken, again);
}

/** A page of the operator may not have woken the object since it was evicted. */
function refuseOtherThanIdle(error: unknown): void {
  if (!String(error).includes("not currently running")) throw error;
}

const SIZE = `${CONSOLE_RUNS.toLocaleString("en")} runs, ${CUSTOMERS} customers, ${BUDGETS} budgets`;

function rowOf(name: string, woken: readonly Cost[], again: readonly Cost[]): BenchRow {
  const { median: firstMs, spread } = figureOf(woken.map(({ first }) => first));
  const [wholeMs, againMs] = [woken, again].map((costs) => median(costs.map(({ last }) => last)));
  return {
    name,
    perSecond: Math.round(1000 / Math.max(wholeMs ?? 0, 1)),
    cpuMicros: Math.round((wholeMs ?? 0) * 1000),
    spread: VIEWS === 1 ? null : spread,
    ratio: MOST_MS / firstMs,
    of: `${MOST_MS} ms of CPU until the first byte`,
    target: 1,
    note: `the object just woke; ${firstMs.toFixed(0)} ms until the first byte; again ${(againMs ?? 0).toFixed(0)} ms; ${SIZE}`,
  };
}

/** Milliseconds of CPU that a view has taken at its first byte and at its last. */
interface Cost {
  readonly first: number;
  readonly last: number;
}

async function costMs(reader: Reader, path: string): Promise<Cost> {
  await sleep(SETTLE_MS);
  const before = cpuMs(reader.pid);
  let first = 0;
  await view(reader, path, () => (first ||= cpuMs(reader.pid) - before));
  return { first, last: cpuMs(reader.pid) - before };
}

async function view({ base, cookie }: Reader, path: string, begins = () => {}): Promise<string> {
  const answer = await sent(() => fetch(`${base}${path}`, { headers: { cookie }, redirect: "manual" }));
  let text = "";
  for await (const part of answer.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    begins();
    text += part;
  }
  // An answer that leads elsewhere has no body.
  begins();
  if (answer.status >= 400 && answer.status !== 404) throw new Error(`${path}: ${answer.status}`);
  if (text.includes("data-failed")) throw new Error(`${path}: something could not be read`);
  if (answer.headers.get("location")?.includes("/login") === true) throw new Error(`${path}: signed out`);
  return text;
}

/** Of all threads, to the nanosecond: a page takes less than the ticks that the process's own sum is counted in. */
function cpuMs(pid: number): number {
  const nanoseconds = readdirSync(`/proc/${pid}/task`).map((task) => {
    const [spent] = readFileSync(`/proc/${pid}/task/${task}/schedstat`, "utf8").split(" ");
    return Number(spent);
  });
  return nanoseconds.reduce((sum, one) => sum + one, 0) / 1e6;
}
