/** `npm run deploy`: everything between a Cloudflare account and a first key. Run it again at any time. */
import { createInterface } from "node:readline/promises";
import { run } from "./complaint.ts";
import { deploy } from "./deploy/command.ts";
import { wranglerCommand } from "./deploy/wrangler.ts";

await run(() =>
  deploy(process.argv.slice(2), {
    env: process.env,
    command: wranglerCommand(process.env),
    say: (line) => console.log(line),
    ask: process.stdin.isTTY ? ask : null,
  }),
);

async function ask(question: string): Promise<string> {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return await terminal.question(question);
  } finally {
    terminal.close();
  }
}
