/** A process that does the same piece of work each second, and says how many milliseconds it took. It ends with whoever reads that. */
import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

/** Some 18 ms of a core of 2.5 GHz. */
const HASHES = 100;
const PIECE = Buffer.alloc(65_536);
const PAUSE_MS = 1000;

function workMs(): number {
  const begun = performance.now();
  for (let hash = 0; hash < HASHES; hash += 1) createHash("sha256").update(PIECE).digest();
  return performance.now() - begun;
}

process.stdout.once("error", () => process.exit());
for (;;) {
  process.stdout.write(`${workMs()}\n`);
  await sleep(PAUSE_MS);
}
