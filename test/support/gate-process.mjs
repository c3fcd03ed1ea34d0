/**
 * A process with a gate of its own: it asks until it is refused, and says `a` for each allow, after it has it. Then it says
 * what refused and how many it decided by itself. On the word `end` it gives everything back.
 */
import { createGate } from "sluice/gate";

const [url, key, clients] = process.argv.slice(2);
// A busy machine is slow, and not away.
const gate = createGate({ url, key, timeoutMs: 300_000 });
const refusals = new Set();

async function client() {
  for (;;) {
    try {
      await gate.decide({ estimate: { cost_usd: "0.01" } });
      process.stdout.write("a\n");
    } catch (error) {
      refusals.add(error.code ?? String(error));
      return;
    }
  }
}

await Promise.all(Array.from({ length: Number(clients) }, client));
process.stdout.write(`${JSON.stringify({ refusals: [...refusals], ...gate.stats })}\n`);
await gate.close();
process.stdout.write("closed\n");
