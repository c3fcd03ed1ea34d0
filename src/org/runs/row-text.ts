import type { Run } from "./store.ts";

/**
 * Rows of runs as they are handed to SQLite, each a JSON array of the columns that differ, with `data` (JSON itself) as a
 * text in it. Written by hand: runs of a batch have most of their text in common, which is quoted once for all of them.
 */
export class RowTexts {
  #names: Names | null = null;
  #namesText = "";
  #charges: string | null = null;
  #chargesText = "";

  /** `more` are columns beside those that every row has. */
  of(run: Run, ...more: readonly (string | number | null)[]): string {
    const { id, startedAt, cost } = run;
    const rest = more.length === 0 ? "" : `,${JSON.stringify(more).slice(1, -1)}`;
    return `[${JSON.stringify(id)},${startedAt},"${cost}","${this.#data(run)}"${rest}]`;
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

const PLAIN = /^[ !#-[\]-~]*$/;

/** A name in JSON in a JSON text. */
function quoted(name: string | null): string {
  if (name === null) return "null";
  return PLAIN.test(name) ? `\\"${name}\\"` : inText(name);
}

function inText(value: unknown): string {
  return JSON.stringify(JSON.stringify(value)).slice(1, -1);
}
