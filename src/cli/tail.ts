import type { Event, KeptRefusal, Sluice } from "../client/index.ts";
import { clientFor, type Command, ORG_OPTION, toPrintable, UsageError, wholeNumber } from "./command.ts";

const EVERY_MS = 2000;
const FIRST_LINES = 10;
/** The most lines of one look. Refusals that come faster are skipped, with a line that says so. */
const MOST_LINES = 1000;
const PAGE = 200;

interface Line {
  readonly id: string;
  readonly at: string;
  readonly text: string;
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
    const show = (lines: readonly Line[]) => {
      for (const { text, whole } of lines)
        terminal.out(`${given.options["json"] === true ? JSON.stringify(whole) : text}\n`);
    };
    const first = await newLines(sluice, seen, PAGE);
    const count = wholeNumber(given, "lines") ?? FIRST_LINES;
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
  const about = Object.entries({ model, customer, workflow, key }).filter(([, value]) => value !== null);
  const words = about.map(([name, value]) => `${name}=${value}`);
  const asked = amount === null ? [] : [`usd=${amount}`];
  const text = [at, "refused", code, limit, ...asked, ...words, `trace=${trace}`].join(" ");
  return { id, at, text: toPrintable(text), whole: refusal };
}

function eventLine(event: Event): Line {
  const { id, type, created_at: at, data } = event;
  return { id, at, text: toPrintable(`${at} event ${type} ${JSON.stringify(data)}`), whole: event };
}
