import type { Event, KeptRefusal, Sluice } from "../client/index.ts";
import { type Command, UsageError, wholeNumber } from "./command.ts";
import { clientFor, ORG_OPTION } from "./connection.ts";
import { type Column, fieldsText, headText, rowText } from "./table.ts";

const EVERY_MS = 2000;
const FIRST_LINES = 10;
/** The most lines of one look. Refusals that come faster are skipped, with a line that says so. */
const MOST_LINES = 1000;
const PAGE = 200;

/** Names are padded to the length of all but a few. */
const COLUMNS: readonly Column[] = [
  { head: "TIME", width: 24 },
  { head: "KIND", width: 7 },
  { head: "NAME", width: 24 },
  { head: "USD", width: 10, isNumber: true },
  { head: "DETAILS" },
];

interface Line {
  readonly id: string;
  readonly at: string;
  readonly cells: readonly string[];
  readonly whole: unknown;
}

export const tail: Command = {
  usage: "[options]",
  summary: "What is refused and what happens in an org, as it happens. Ctrl-C ends it.",
  options: {
    lines: { type: "string", says: `how many to begin with: ${FIRST_LINES}` },
    json: { type: "boolean", says: "each as JSON, on a line of its own" },
    "no-follow": { type: "boolean", says: "ends after the first lines" },
    ...ORG_OPTION,
  },
  async run(given, terminal) {
    if (given.arguments.length > 0) throw new UsageError("tail takes options only");
    const sluice = clientFor(given, terminal);
    const seen = new SeenIds();
    const isJson = given.options["json"] === true;
    const show = (lines: readonly Line[]) => {
      for (const { cells, whole } of lines)
        terminal.out(isJson ? `${JSON.stringify(whole)}\n` : rowText(COLUMNS, cells));
    };
    const first = await newLines(sluice, seen, PAGE);
    const count = wholeNumber(given, "lines") ?? FIRST_LINES;
    if (!isJson) terminal.out(headText(COLUMNS));
    show(count === 0 ? [] : first.slice(-count));
    while (given.options["no-follow"] !== true && (await terminal.wait(EVERY_MS))) {
      const lines = await newLines(sluice, seen, MOST_LINES);
      if (lines.length >= MOST_LINES)
        terminal.error(`sluice: more than ${MOST_LINES} came at once: some are not shown\n`);
      show(lines);
    }
  },
};

/** The ids of what was shown, as far back as a look goes. */
class SeenIds {
  readonly #ids = new Set<string>();

  has(id: string): boolean {
    return this.#ids.has(id);
  }

  add(id: string): void {
    this.#ids.add(id);
    for (const old of this.#ids) {
      if (this.#ids.size <= 4 * MOST_LINES) return;
      this.#ids.delete(old);
    }
  }
}

/** Returns what was not seen yet, oldest first. */
async function newLines(sluice: Sluice, seen: SeenIds, most: number): Promise<Line[]> {
  const found = [
    ...(await unseen(sluice.refusals.list({ limit: PAGE }), refusalLine, seen, most)),
    ...(await unseen(sluice.events.list({ limit: PAGE, sort: "-created_at" }), eventLine, seen, most)),
  ];
  const lines = found.toSorted((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
  for (const { id } of lines) seen.add(id);
  return lines;
}

async function unseen<T>(
  newestFirst: AsyncIterable<T>,
  toLine: (one: T) => Line,
  seen: SeenIds,
  most: number,
): Promise<Line[]> {
  const lines: Line[] = [];
  for await (const one of newestFirst) {
    const line = toLine(one);
    if (seen.has(line.id) || lines.length >= most) break;
    lines.push(line);
  }
  return lines;
}

function refusalLine(refusal: KeptRefusal): Line {
  const { id, at, code, limit, amount_usd: amount, trace_id: trace } = refusal;
  const { model, customer_id: customer, workflow_id: workflow, key_id: key } = refusal;
  const details = fieldsText({ limit, model, customer, workflow, key, trace });
  return { id, at, cells: [at, "refused", code, amount ?? "", details], whole: refusal };
}

function eventLine(event: Event): Line {
  const { id, type, created_at: at, data } = event;
  return { id, at, cells: [at, "event", type, "", fieldsText({ ...data })], whole: event };
}
