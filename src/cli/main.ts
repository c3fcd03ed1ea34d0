#!/usr/bin/env node
import { Sluice } from "../client/index.ts";
import { run } from "./run.ts";

/** `sluice`: what the package does from a terminal. */
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  client: () => new Sluice(),
});
