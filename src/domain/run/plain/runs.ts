import { ATTRIBUTED } from "../../../contract/dimensions.ts";
import { REPORTED_OUTCOMES } from "../../../contract/lists.ts";
import type { RunInput } from "../../../contract/resources/runs/runs.ts";
import { MAX_BATCH } from "../../../contract/runs.ts";
import { SCOPE_FIELDS } from "../../../contract/scopes.ts";
import { instantOf } from "../../time/instant.ts";
import { isUsd } from "../../price/money.ts";
import { CLOSE, COMMA, Members, OPEN, Scanner } from "./scanner.ts";
import { UsageReader } from "./usage.ts";

/** In the order of their numbers. Those before the usage are mostly different in each run. */
const FIELDS = [
  "id",
  "started_at",
  "ended_at",
  "usage",
  "cost_usd",
  "outcome",
  "model",
  "customer_id",
  "action",
  ...SCOPE_FIELDS.filter((field) => field !== "customer_id"),
  ...ATTRIBUTED,
  "variant",
] as const satisfies readonly (keyof RunInput)[];
const BY_NAME: ReadonlyMap<string, number> = new Map(FIELDS.map((name, at) => [name, at]));
const ID = 0;
const STARTED_AT = 1;
const ENDED_AT = 2;
const USAGE = 3;
const COST = 4;
const OUTCOME = 5;
const MODEL = 6;
const CUSTOMER = 7;
const NEEDED = (1 << STARTED_AT) | (1 << USAGE) | (1 << MODEL);

type Writable = { -readonly [Field in (typeof FIELDS)[number]]: RunInput[Field] };

const ID_CHARACTERS = 128;
const MODEL_CHARACTERS = 200;
const AMOUNT_CHARACTERS = 40;

/**
 * The runs of a batch that have only common fields, read and checked in one pass. A run mostly repeats what the one
 * before it says, and what is the same is compared instead of read: this takes less than half of what parsing and
 * checking take. Null if something is unusual or wrong, and only the parser and the checks can tell. They read and
 * accept every body that is read here, too.
 */
export function plainRuns(text: string): readonly RunInput[] | null {
  const scanner = Scanner.of(text);
  if (scanner === null || scanner.next() !== OPEN) return null;
  scanner.skipSpace();
  if (!scanner.passes('"runs":')) return null;
  scanner.skipSpace();
  if (!scanner.passes("[")) return null;
  const reader = new RunReader(scanner);
  const runs: RunInput[] = [];
  for (let next = COMMA; next === COMMA; next = scanner.next()) {
    const run = runs.length < MAX_BATCH ? reader.read() : null;
    if (run === null) return null;
    runs.push(run);
  }
  return scanner.isAfterList() ? runs : null;
}

class RunReader {
  readonly #scanner: Scanner;
  readonly #members = new Members();
  readonly #usage = new UsageReader();
  readonly #started = { from: 0 };
  readonly #ended = { from: 0 };
  /** By field, the last value of any run. */
  readonly #values: unknown[] = FIELDS.map(() => undefined);
  /** The run before, and its fields, as bits. */
  #last: Partial<Writable> = {};
  #had = 0;
  #runs = 0;

  constructor(scanner: Scanner) {
    this.#scanner = scanner;
  }

  read(): RunInput | null {
    // Most runs have the fields of the run before, and a copy is made faster than an object field by field.
    const copy = { ...this.#last };
    const seen = this.#readFields(copy);
    if ((seen & NEEDED) !== NEEDED) return null;
    const run = seen === this.#had ? copy : this.#made(seen);
    this.#had = seen;
    this.#last = run;
    this.#runs += 1;
    const { started_at = "", ended_at } = run;
    if (ended_at !== undefined && instantOf(ended_at) < instantOf(started_at)) return null;
    return run as RunInput;
  }

  /** A run that has these fields and no others. */
  #made(seen: number): Partial<Writable> {
    const fields = FIELDS.filter((_, field) => ((seen >> field) & 1) === 1);
    // The parser makes objects that are copied faster than those that grow.
    const run = JSON.parse(`{${fields.map((name) => `"${name}":""`).join()}}`) as Record<string, unknown>;
    for (const [field, name] of FIELDS.entries()) if (name in run) run[name] = this.#values[field];
    return run;
  }

  /**
   * Returns which fields there were, as bits. 0: something is unusual or wrong. The run gets those that are not as
   * before.
   */
  #readFields(run: Partial<Writable>): number {
    const scanner = this.#scanner;
    if (scanner.next() !== OPEN) return 0;
    let seen = 0;
    for (let index = 0; ; index += 1) {
      scanner.skipSpace();
      const member = this.#members.at(index);
      let { field, value } = member;
      const isRepeated = scanner.repeats(member);
      if (!isRepeated) {
        field = scanner.key(member, BY_NAME);
        value = field === -1 ? null : this.#valueOf(field);
        if (value === null) return 0;
        if (field >= USAGE) scanner.keep(member, value);
      }
      if (((seen >> field) & 1) === 1) return 0;
      seen |= 1 << field;
      // The copy has what the run before had at this place.
      if (!isRepeated || member.object !== this.#runs - 1) {
        this.#values[field] = value;
        put(run, field, value);
      }
      member.object = this.#runs;
      const next = scanner.next();
      if (next === CLOSE) return seen;
      if (next !== COMMA) return 0;
    }
  }

  #valueOf(field: number): unknown {
    const scanner = this.#scanner;
    switch (field) {
      case ID:
        return scanner.passing(ID_CHARACTERS);
      case STARTED_AT:
        return scanner.time(this.#started);
      case ENDED_AT:
        return scanner.time(this.#ended);
      case USAGE:
        return this.#usage.read(scanner);
      case COST:
        return amount(scanner.passing(AMOUNT_CHARACTERS));
      case OUTCOME:
        return outcome(scanner.name(ID_CHARACTERS));
      case MODEL:
        return scanner.name(MODEL_CHARACTERS);
      default:
        return scanner.name(ID_CHARACTERS);
    }
  }
}

/** Written out: a property is set by its own name several times faster than by one in a variable. */
function put(run: Partial<Writable>, field: number, value: unknown): void {
  switch (field) {
    case ID:
      run.id = value as string;
      break;
    case STARTED_AT:
      run.started_at = value as string;
      break;
    case ENDED_AT:
      run.ended_at = value as string;
      break;
    case USAGE:
      run.usage = value as RunInput["usage"];
      break;
    case COST:
      run.cost_usd = value as string;
      break;
    case CUSTOMER:
      run.customer_id = value as string;
      break;
    default:
      (run as Record<string, unknown>)[FIELDS[field] ?? ""] = value;
  }
}

function amount(text: string | null): string | null {
  return text !== null && isUsd(text) ? text : null;
}

function outcome(name: string | null): string | null {
  return (REPORTED_OUTCOMES as readonly (string | null)[]).includes(name) ? name : null;
}
