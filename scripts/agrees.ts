import { createInterface } from "node:readline/promises";
import { Complaint } from "./complaint.ts";

/** Asks the person at the terminal. Without one, nothing is agreed to. */
export async function agrees(question: string): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new Complaint("cannot ask for confirmation here: pass --yes to make the changes");
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test((await terminal.question(question)).trim());
  } finally {
    terminal.close();
  }
}
