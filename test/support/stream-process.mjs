/**
 * A process that streams through the governed `fetch`, several streams at a time, and leaves a third of them at random. It says
 * `done` for each, and `closed` when all of its runs are sent.
 */
import OpenAI from "openai";
import { createGate, governedFetch } from "sluice/fetch";

const [streams, words, body] = process.argv.slice(2).map((text) => JSON.parse(text));
const AT_ONCE = 4;
const gate = createGate({
  timeoutMs: 300_000,
  flushMs: 50,
  key: process.env.SLUICE_KEY,
  url: process.env.SLUICE_URL,
});
// A stream that is left is stopped at once, and not read to its usage, which would make it whole.
// A busy machine may not answer in time: a refused decision is asked again before anything is streamed.
const openai = new OpenAI({ fetch: governedFetch({ gate, leaveGraceMs: 10 }), maxRetries: 30 });
let begun = 0;

async function one() {
  const leavesAfter =
    Math.random() < 1 / 3 ? 1 + Math.floor(Math.random() * (words - 2)) : Number.POSITIVE_INFINITY;
  /** @type {AsyncIterable<{ choices: { delta: { content?: string } }[] }>} */
  const stream = await openai.chat.completions.create({ ...body, stream: true });
  let read = 0;
  for await (const chunk of stream) {
    if (chunk.choices[0]?.delta.content) read += 1;
    if (read >= leavesAfter) break;
  }
  process.stdout.write("done\n");
}

async function worker() {
  while (begun < streams) {
    begun += 1;
    await one();
  }
}

await Promise.all(Array.from({ length: AT_ONCE }, worker));
await gate.close();
process.stdout.write("closed\n");
