/**
 * A process with many gates, started by a test with the collector of garbage at hand. It says on its last line how many gates
 * are left, how many listeners there are, and which runs the service has heard of when the process ends.
 */
import { setImmediate as turn } from "node:timers/promises";
import { gateTo, leaseReply, refusal, RUN } from "./lease-replies.ts";

const [, , kind = "", count = "0"] = process.argv;
const MOST_COLLECTIONS = 50;
const { gc } = globalThis as { gc?: () => void };
const left: WeakRef<object>[] = [];
const heard: (() => string[])[] = [];

const ASK = { estimate: { cost_usd: "0.01" } };

/** What one gate lives through before nobody has it any more. */
const LIVES: Readonly<Record<string, (id: string) => Promise<void>>> = {
  async refused() {
    const { gate } = gateTo(() => refusal("unauthorized", 401));
    left.push(new WeakRef(gate));
    await gate.decide(ASK).catch(() => undefined);
    await gate.facts().catch(() => undefined);
  },
  async closed(id) {
    const { gate, runs } = gateTo(() => leaseReply());
    left.push(new WeakRef(gate));
    heard.push(runs);
    gate.settle("rsv_1", { ...RUN, id });
    await gate.close();
  },
  /** Its timer is an hour away, so only the end of the process sends its run. */
  async queued(id) {
    const { gate, runs } = gateTo(() => leaseReply(), { flushMs: 3_600_000 });
    heard.push(runs);
    gate.settle("rsv_1", { ...RUN, id });
  },
  async closedBefore(id) {
    const { gate, runs } = gateTo(() => leaseReply(), { flushMs: 3_600_000 });
    heard.push(runs);
    await gate.close();
    gate.settle("rsv_1", { ...RUN, id });
  },
  async ungoverned() {
    const { gate, service, exchanges } = gateTo(() => leaseReply(), { whenUnreachable: "allow" });
    service.isAway = true;
    await gate.decide(ASK);
    service.isAway = false;
    heard.push(() => exchanges().map(({ ungoverned }) => String(ungoverned)));
  },
  async away(id) {
    const { gate, service, runs } = gateTo(() => leaseReply());
    service.isAway = true;
    heard.push(runs);
    gate.settle("rsv_1", { ...RUN, id });
  },
};

for (let at = 0; at < Number(count); at += 1) await LIVES[kind]?.(`${kind}-${at}`);
const isAnyLeft = () => left.some((gate) => gate.deref() !== undefined);
let collections = 0;
do {
  await turn();
  gc?.();
  collections += 1;
} while (isAnyLeft() && collections < MOST_COLLECTIONS);
const gates = left.filter((gate) => gate.deref() !== undefined).length;
const listeners = process.listenerCount("beforeExit");
process.on("exit", () => {
  process.stdout.write(JSON.stringify({ gates, listeners, heard: heard.flatMap((runs) => runs()) }));
});
