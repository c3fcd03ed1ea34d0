import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Traffic } from "./traffic.ts";
import type { Org, World } from "./world.ts";

/** Processes with gates of their own, each replaced when it is killed. */

const PROCESSES = 2;
const NANOS = 10;

interface Line {
  readonly org: string;
  readonly did: "allow" | "run" | "released" | "rejected" | "refused" | "closed";
  readonly [field: string]: unknown;
}

class GateProcess {
  readonly child: ChildProcess;
  readonly ended: Promise<void>;
  readonly #lines: Line[] = [];

  constructor(tasks: readonly object[], { traffic, said }: { traffic: Traffic; said: string[] }) {
    this.child = spawn(
      process.execPath,
      [join(import.meta.dirname, "gate-process.ts"), JSON.stringify(tasks)],
      {
        stdio: ["pipe", "pipe", "pipe"],
      },
    );
    this.child.stdin?.on("error", () => undefined);
    for (const output of [this.child.stdout, this.child.stderr]) {
      if (output === null) continue;
      createInterface(output).on("line", (line) => {
        said.push(line);
        if (line.startsWith("{")) this.#lines.push(JSON.parse(line) as Line);
        traffic.answers += 1;
      });
    }
    this.ended = new Promise((resolve) => this.child.once("close", () => resolve()));
  }

  lines(org: string): Line[] {
    return this.#lines.filter((line) => line.org === org);
  }
}

export class GateProcesses {
  readonly #tasks: readonly object[];
  readonly #orgs: readonly Org[];
  readonly #given: { traffic: Traffic; said: string[] };
  readonly #all: GateProcess[] = [];
  #live: GateProcess[] = [];

  constructor(world: World, orgs: readonly Org[], traffic: Traffic) {
    this.#orgs = orgs;
    this.#given = { traffic, said: world.said };
    const [, , link] = world.links;
    this.#tasks = orgs.map(({ name, key, onlyGrows }) => ({
      org: name,
      url: link.url,
      key,
      nanos: NANOS,
      onlyGrows,
    }));
    for (let count = 0; count < PROCESSES; count += 1) this.#start();
  }

  #start(): void {
    const started = new GateProcess(this.#tasks, this.#given);
    this.#all.push(started);
    this.#live.push(started);
  }

  /** Of one that is running. */
  child(random: () => number): ChildProcess | undefined {
    return this.#live[Math.floor(random() * this.#live.length)]?.child;
  }

  async kill(child: ChildProcess): Promise<void> {
    const killed = this.#live.find((one) => one.child === child);
    if (killed === undefined) return;
    child.kill("SIGKILL");
    this.#live = this.#live.filter((one) => one !== killed);
    await killed.ended;
    this.#start();
  }

  /** Lets all end in order, and enters what they did into the ledgers. How many holds the service refused. */
  async end(): Promise<number> {
    for (const { child } of this.#live) child.stdin?.end();
    await Promise.all(this.#live.map(({ ended }) => ended));
    let holdsRefused = 0;
    for (const one of this.#all)
      for (const org of this.#orgs) holdsRefused += enter(one.lines(org.name), org, this.#given.traffic);
    return holdsRefused;
  }
}

function enter(lines: readonly Line[], { ledger, name }: Org, traffic: Traffic): number {
  const closed = lines.find(({ did }) => did === "closed");
  const isWhole = closed !== undefined && closed["runsQueued"] === 0;
  const rejected = new Set(lines.flatMap((line) => (line.did === "rejected" ? [line["run"]] : [])));
  for (const line of lines) {
    const reservation = String(line["reservation"]);
    const nanos = Number(line["nanos"]);
    if (line.did === "allow") {
      const [sentAt, answeredAt] = [Number(line["sentAt"]), Number(line["answeredAt"])];
      const heldUntil = Number(line["heldUntil"]);
      ledger.allowed({ reservation, nanos, sentAt, answeredAt, heldUntil, end: "unknown" });
    } else if (line.did === "released") ledger.ended(reservation, "released");
    else if (line.did === "refused") ledger.limited += line["code"] === "budget_exceeded" ? 1 : 0;
    else if (line.did === "rejected")
      traffic.unpromised.push(`${name}: a gate's run was rejected: ${String(line["why"])}`);
    else if (line.did === "run") {
      const id = String(line["id"]);
      ledger.sends(id, nanos, reservation);
      if (isWhole && !rejected.has(id)) ledger.acknowledged(id);
    }
  }
  return Number(closed?.["holdsRefused"] ?? 0);
}
