import { THREE_DIGITS } from "../../domain/digits.ts";
import { MOST_BOUND_CHARACTERS } from "../kernel/json-rows.ts";
import type { Run } from "./run.ts";

/**
 * Rows of runs as they are handed to SQLite: one JSON array of arrays of the columns that differ, with `data` (JSON
 * itself) as a text in each. Written by hand: runs of a batch have most of their text in common, which is quoted once for
 * all of them.
 */
export class RowTexts {
  #rows = "";
  readonly #full: string[] = [];
  #names: Names | null = null;
  #namesText = "";
  #charges: string | null = null;
  #chargesText = "";

  /** Each of a size that can be bound. */
  get texts(): readonly string[] {
    return [...this.#full, this.#rows].map((rows) => `[${rows}]`);
  }

  /** `more` are columns beside those that every row has. */
  add(run: Run, ...more: readonly (string | number | null)[]): void {
    const { id, startedAt, cost } = run;
    const rest = more.length === 0 ? "" : `,${JSON.stringify(more).slice(1, -1)}`;
    const name = PLAIN.test(id) ? `"${id}"` : JSON.stringify(id);
    const amount = cost <= Number.MAX_SAFE_INTEGER ? Number(cost) : cost;
    const row = `[${name},${digitsOf(startedAt)},"${amount}","${this.#data(run)}"${rest}]`;
    if (this.#rows !== "" && this.#rows.length + row.length > MOST_BOUND_CHARACTERS) {
      this.#full.push(this.#rows);
      this.#rows = "";
    }
    this.#rows += this.#rows === "" ? row : `,${row}`;
  }

  /** In the order that `RunData` says. */
  #data(run: Run): string {
    const { customerId, inputTokens, outputTokens, charges, endedAt, parentRunId, depth, extra } = run;
    if (this.#names === null || !areSame(this.#names, run)) {
      this.#names = run;
      const { model, action, workflowId, deploymentId, departmentId } = run;
      this.#namesText = [model, action, workflowId, deploymentId, departmentId].map(quoted).join(",");
    }
    if (charges !== this.#charges) {
      this.#charges = charges;
      this.#chargesText = quoted(charges);
    }
    return `[${this.#namesText},${quoted(customerId)},${inputTokens},${outputTokens},${this.#chargesText},${endedAt},${quoted(parentRunId)},${depth},${extra === null ? "null" : inText(extra)}]`;
  }
}

type Names = Pick<Run, "model" | "action" | "workflowId" | "deploymentId" | "departmentId">;

function areSame(one: Names, other: Names): boolean {
  return (
    one.model === other.model &&
    one.action === other.action &&
    one.workflowId === other.workflowId &&
    one.deploymentId === other.deploymentId &&
    one.departmentId === other.departmentId
  );
}

/** A moment in milliseconds. What a batch has in common, all but the last six digits, is written over and over. */
function digitsOf(ms: number): string {
  if (ms < MILLION) return String(ms);
  const low = ms % MILLION;
  const last = low % 1000;
  return `${(ms - low) / MILLION}${THREE_DIGITS[(low - last) / 1000]}${THREE_DIGITS[last]}`;
}

const MILLION = 1_000_000;
const PLAIN = /^[ !#-[\]-~]*$/;

/** A name in JSON in a JSON text. */
function quoted(name: string | null): string {
  if (name === null) return "null";
  return PLAIN.test(name) ? `\\"${name}\\"` : inText(name);
}

function inText(value: unknown): string {
  return JSON.stringify(JSON.stringify(value)).slice(1, -1);
}
