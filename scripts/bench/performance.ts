import type { BenchRow } from "./bench-row.ts";
import { CONNECTIONS, COPYING, GOVERNED, PLAIN, PORTKEY } from "./latency-subjects.ts";
import { addedName, type Byte, waitName } from "./latency-waits.ts";
import { dollars, LINES_OF_GATE, OURS, type Path, PEERS, PROXIES, USD } from "./performance-paths.ts";
import { isStable } from "./statistics.ts";

/** The page docs/performance.md, made from the rows of one run. */

export interface Machine {
  readonly day: string;
  readonly processor: string;
}

export function performancePage(rows: readonly BenchRow[], machine: Machine): string {
  return [
    "# Performance",
    "",
    "What a call through Sluice costs, and how much longer its caller waits, beside what you would use instead.",
    "`npm run bench -- --write` makes this page in one run, on whatever machine it has. Do not edit: run it again.",
    "",
    `Measured on ${machine.day}, on one core of ${machine.processor}; the load came from another core.`,
    "",
    "## What a call costs",
    "",
    "Dollars are Cloudflare's published prices beyond what the plan includes:",
    `$${USD.workerRequest.toFixed(2)} for a million requests, $${USD.cpuMs} for a million ms of CPU, $${USD.objectRequest} for a million requests of objects, $${USD.rowWritten.toFixed(2)} for a million rows`,
    `written and $${USD.logLine.toFixed(2)} for a million log lines, one for each request to Sluice. CPU time is a small part of each sum. The largest is the log line where the isolate decides, and the rows where the object writes.`,
    "",
    ...table(OURS, rows),
    "CPU is of isolate and object together, in workerd: the median of rounds in which all rows of a table were measured in turns. ± is",
    "half the distance between the quartiles of the rounds, as a share of the figure. Where it is more than 5 %, the row says *not stable*:",
    "other work on the machine got in the way. *Per second* is what one core does. Rows are written over the whole life of a call, deletions",
    "included; those of a decision in the isolate include its settlement in a bulk.",
    "",
    "## What a caller waits",
    "",
    "Milliseconds beyond the time that the model itself takes: the median, and what 99 of 100 callers wait at most. The model streams 20",
    "pieces to each caller, who pauses after each call for up to a quarter of its time. Each piece carries the time at which the model wrote",
    "it, so a piece that a proxy holds back shows.",
    "*Governing adds* compares the governed proxy with a plain one in the same runtime, which hands everything on unread. The copying proxy",
    "reads each piece and writes it on, and does nothing else: any proxy there that looks at what it streams waits for that, too.",
    "Portkey's gateway runs in Node, without budgets. An asterisk marks what was not stable, a dash what could not be measured.",
    "",
    ...waitTable(rows),
    "## What governing costs a proxy",
    "",
    "The CPU of the proxy, of Sluice and of a model that answers at once, for each call. Over RPC and HTTP a call is only asked for. With the",
    "gate inside, its usage is read and its run is settled, too.",
    "",
    `The log of a call with the gate inside is ${LINES_OF_GATE.toFixed(2)} lines of Sluice, for the reports and settlements of a gate with 50 calls a second; where calls are`,
    `rare, it is two lines. The governed proxy adds one for each answer that it makes by itself. Cloudflare's own log of invocations, $${USD.logLine.toFixed(2)} for a`,
    "million calls, is off in its `wrangler.toml`.",
    "",
    ...table(PROXIES, rows),
    "## Beside what you would use instead",
    "",
    "None of these keeps a budget across processes. They are the least that a call can cost in the same place.",
    "",
    ...table(PEERS, rows),
    "`redis-server` is measured where it is installed, and Portkey's gateway where it can be installed.",
    "",
  ].join("\n");
}

function table(paths: readonly Path[], rows: readonly BenchRow[]): string[] {
  return [
    "| path | CPU, µs | ± | per second | rows written | dollars per million |",
    "|---|---:|---:|---:|---:|---:|",
    ...paths.map((path) => `| ${[path.name, ...figuresOf(path, rows)].join(" | ")} |`),
    "",
  ];
}

const NOTHING = ["", "", "", ""];

function figuresOf(path: Path, rows: readonly BenchRow[]): string[] {
  const find = (name: string) => rows.find((row) => row.name === name);
  const row = find(path.speed);
  if (row === undefined) return ["not measured", ...NOTHING];
  const { cpuMicros } = row;
  if (cpuMicros === null) return ["failed", ...NOTHING];
  const written = path.rows?.((name) => find(name)?.perSecond ?? Number.NaN) ?? 0;
  return [
    cpuMicros.toLocaleString("en"),
    spreadOf(row),
    Math.round(1e6 / cpuMicros).toLocaleString("en"),
    path.rows === null ? "" : String(Number(written.toFixed(2))),
    path.requests === null ? "" : dollars(path, { cpuMicros, written }).toFixed(2),
  ];
}

function spreadOf({ spread = null }: BenchRow): string {
  if (spread === null) return "";
  return `${(spread * 100).toFixed(0)} %${isStable(spread) ? "" : ", not stable"}`;
}

function waitText(row: BenchRow | undefined): string {
  if (row === undefined || row.perSecond === null) return "–";
  return `${row.perSecond.toFixed(1)}${isStable(row.spread ?? null) ? "" : "*"}`;
}

const WAITED: readonly Byte[] = ["first byte", "last byte", "piece"];

function waitTable(rows: readonly BenchRow[]): string[] {
  const wait = (name: string) => waitText(rows.find((row) => row.name === name));
  const both = (name: (share: "p50" | "p99") => string) => `${wait(name("p50"))} / ${wait(name("p99"))}`;
  const lines = CONNECTIONS.flatMap((connections) =>
    WAITED.map((byte) => {
      const proxies = [PLAIN, COPYING, GOVERNED, PORTKEY].map((proxy) =>
        both((share) => waitName(proxy, connections, byte, share)),
      );
      const added = byte === "last byte" ? "" : both((share) => addedName(connections, byte, share));
      const title = `${byte}, ${connections} ${connections === 1 ? "caller" : "callers"}`;
      return `| ${[title, ...proxies, added].join(" | ")} |`;
    }),
  );
  return [
    `| path, p50 / p99 in ms | ${PLAIN} | ${COPYING} | ${GOVERNED} | ${PORTKEY} | governing adds |`,
    "|---|---:|---:|---:|---:|---:|",
    ...lines,
    "",
  ];
}
