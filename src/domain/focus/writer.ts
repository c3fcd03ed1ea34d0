import type { FocusVersion } from "../../contract/lists.ts";
import { csvField } from "../text/csv.ts";
import {
  type Charge,
  chargeDay,
  type ChargedRun,
  chargesOf,
  ChargeSums,
  type LateCharge,
  lateCharge,
} from "./charge.ts";
import { type FocusAccount, type FocusColumn, focusColumns } from "./columns.ts";
import { formatDecimal } from "./decimal.ts";

/** Amounts are plain numbers, which no spreadsheet takes for a formula, even if they are negative. */
function fieldOf(column: FocusColumn, charge: Charge, account: FocusAccount): string {
  if ("text" in column) return csvField(column.text(charge, account));
  const amount = column.amount(charge);
  return amount === null ? "" : formatDecimal(amount);
}

/** Writes runs as rows of FOCUS: charges by day, scope, model and class of tokens, with their unit prices. */
export class FocusWriter {
  readonly #columns: readonly FocusColumn[];
  readonly #account: FocusAccount;
  readonly #sums = new ChargeSums();
  #rows = 0;

  constructor(version: FocusVersion, account: FocusAccount) {
    this.#columns = focusColumns(version);
    this.#account = account;
  }

  /** Written so far. */
  get rows(): number {
    return this.#rows;
  }

  get header(): string {
    return `${this.#columns.map(({ name }) => name).join(",")}\r\n`;
  }

  /** Rows that had to be let go. */
  add(runs: readonly ChargedRun[]): string {
    return this.#written(this.#sums.add(runs.flatMap(chargesOf)));
  }

  /** The same, and rows that are complete: runs that come in the order of time add nothing to an earlier day. */
  addInOrder(runs: readonly ChargedRun[]): string {
    const gone = this.add(runs);
    const last = runs.at(-1);
    return last === undefined ? gone : gone + this.#written(this.#sums.before(chargeDay(last)));
  }

  addLate(all: readonly LateCharge[]): string {
    return this.#written(this.#sums.add(all.map(lateCharge)));
  }

  end(): string {
    return this.#written(this.#sums.end());
  }

  #written(charges: readonly Charge[]): string {
    this.#rows += charges.length;
    return charges.map((charge) => this.#line(charge)).join("");
  }

  #line(charge: Charge): string {
    return `${this.#columns.map((column) => fieldOf(column, charge, this.#account)).join(",")}\r\n`;
  }
}
