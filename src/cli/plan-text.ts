import { type Change } from "./changes.ts";
import { toPrintable } from "./command.ts";
import { nameOf } from "./make-changes.ts";
import type { Value } from "./yaml-file.ts";

const SIGNS = { create: "+", change: "~", delete: "-" } as const;
const LONGEST = 120;

/** Returns what would change, a line for each thing and for each of its fields. Secrets are not shown. */
export function planText(changes: readonly Change[]): string {
  if (changes.length === 0) return "Nothing would change.\n";
  const count = (action: Change["action"]) => changes.filter((one) => one.action === action).length;
  const sums = `${count("create")} to create, ${count("change")} to change, ${count("delete")} to delete.`;
  return `${changes.map(changeText).join("")}\n${sums}\n`;
}

function changeText(change: Change): string {
  const { action, kind, fields } = change;
  const lines = fields.map(({ field, before, after }) => {
    if (kind.fields[field]?.shownAs !== undefined) return `    ${field}: (a secret)\n`;
    if (action === "create") return isDefault(change, field, after) ? "" : `    ${field}: ${shown(after)}\n`;
    return `    ${field}: ${shown(before)} → ${shown(after)}\n`;
  });
  return `${SIGNS[action]} ${nameOf(change)}\n${lines.join("")}`;
}

function isDefault({ kind }: Change, field: string, value: Value | undefined): boolean {
  const usual = kind.fields[field]?.default;
  return usual !== undefined && JSON.stringify(usual) === JSON.stringify(value);
}

function shown(value: Value | undefined): string {
  const text = toPrintable(JSON.stringify(value ?? null));
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
