#!/usr/bin/env node
import { closeSync, fstatSync, openSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Failure } from "./command.ts";
import { ANSWER_MS } from "./connection.ts";
import { run } from "./run.ts";

/** `sluice`: what the package does from a terminal. */
process.exitCode = await run(process.argv.slice(2), {
  out: (text) => void process.stdout.write(text),
  error: (text) => void process.stderr.write(text),
  fetch,
  answerMs: ANSWER_MS,
  read,
  env: process.env,
  ask,
  wait,
});

function read(path: string, mostBytes: number): string {
  // Standard input has no size: it is as long as whoever writes to it likes.
  const file = openSync(path === "-" ? "/dev/stdin" : path, "r");
  try {
    const { size } = fstatSync(file);
    if (size > mostBytes) throw new Failure([`${path}: is larger than ${mostBytes} bytes`]);
    return readFileSync(file, "utf8");
  } finally {
    closeSync(file);
  }
}

async function ask(question: string): Promise<string | null> {
  if (!process.stdin.isTTY) return null;
  const prompt = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await prompt.question(question);
  } finally {
    prompt.close();
  }
}

async function wait(ms: number): Promise<boolean> {
  return new Promise((resolve) => {
    const end = (goesOn: boolean) => {
      clearTimeout(timer);
      process.off("SIGINT", stop);
      resolve(goesOn);
    };
    const stop = () => end(false);
    const timer = setTimeout(end, ms, true);
    process.once("SIGINT", stop);
  });
}
