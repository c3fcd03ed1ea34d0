import { MAX_TOKENS } from "../../../contract/runs.ts";
import { partAboveTotal, type RunUsage, TOKEN_PARTS } from "../../../contract/token-classes.ts";
import { CLOSE, COMMA, Members, OPEN, type Scanner } from "./scanner.ts";

const FIELDS = ["input_tokens", "output_tokens", ...TOKEN_PARTS.map(({ field }) => field)] as const;
const BY_NAME: ReadonlyMap<string, number> = new Map(FIELDS.map((name, at) => [name, at]));
const TOTALS = 2;
const BOTH_TOTALS = 0b11;

type Counts = { -readonly [Field in keyof RunUsage]: RunUsage[Field] };

/** Reads what runs used, one after another. Units are left to the parser. */
export class UsageReader {
  readonly #members = new Members();
  readonly #counts = new Float64Array(FIELDS.length);

  /** Null if it is unusual or wrong. */
  read(scanner: Scanner): RunUsage | null {
    if (scanner.next() !== OPEN) return null;
    const seen = this.#readCounts(scanner);
    if ((seen & BOTH_TOTALS) !== BOTH_TOTALS) return null;
    const [input_tokens = 0, output_tokens = 0] = this.#counts;
    const usage: Counts = { input_tokens, output_tokens };
    if (seen === BOTH_TOTALS) return usage;
    for (const [at, { field }] of TOKEN_PARTS.entries()) {
      const place = at + TOTALS;
      if (((seen >> place) & 1) === 1) usage[field] = this.#counts[place];
    }
    return partAboveTotal(usage) === null ? usage : null;
  }

  /** Returns which fields there were, as bits. 0: it is unusual or wrong. */
  #readCounts(scanner: Scanner): number {
    let seen = 0;
    for (let index = 0; ; index += 1) {
      scanner.skipSpace();
      const field = scanner.key(this.#members.at(index), BY_NAME);
      const count = field === -1 ? -1 : scanner.count();
      if (count < 0 || count > MAX_TOKENS || ((seen >> field) & 1) === 1) return 0;
      this.#counts[field] = count;
      seen |= 1 << field;
      const next = scanner.next();
      if (next === CLOSE) return seen;
      if (next !== COMMA) return 0;
    }
  }
}
