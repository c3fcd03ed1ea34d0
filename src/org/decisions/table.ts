import { requestNumber } from "../../domain/reservation/reservation-id.ts";
import { PagedTable } from "../../storage/paged-table/paged-table.ts";
import type { Row, Value } from "../../storage/table.ts";
import type { HoldRates } from "./hold-rates.ts";

declare module "../../storage/table.ts" {
  interface LoggedTables {
    holds: true;
  }
}

/** An amount reserved in every limit that admitted it, until a run settles it, it is released or it expires. */
export type HoldRow = {
  /** Its number, once it is stored. */
  seq?: number | null;
  id: string;
  status: "open" | "settled" | "released" | "expired";
  at: number;
  expires_at: number;
  ended_at: number | null;
  amount: string;
  meters: string;
  customer_id: string | null;
  /** The response, to repeat it. */
  verdict: string;
  /** Set where it was settled or released before any isolate reported it. */
  unreported: 1 | null;
  /** The amounts that it reserves of plans, chains and credit packs, as JSON. Null for nothing. */
  beside: string | null;
  /** The request, as JSON, where it is needed after the decision. */
  asked: string | null;
  /** The key that it was made with. Null if that is not known. */
  key_id: string | null;
} & HoldRates;

/**
 * Every column except those by which a hold is found. The type keeps the list complete. Pages have values in this order,
 * so a new column comes last.
 */
const CHANGED: Readonly<Record<Exclude<keyof HoldRow, "seq" | "id">, true>> = {
  status: true,
  at: true,
  expires_at: true,
  ended_at: true,
  amount: true,
  meters: true,
  customer_id: true,
  verdict: true,
  unreported: true,
  rates: true,
  tokens: true,
  beside: true,
  asked: true,
  key_id: true,
};
const CHANGING = Object.keys(CHANGED) as (keyof typeof CHANGED)[];
export const COLUMNS = ["seq", "id", ...CHANGING] as const;
const ID_AT = COLUMNS.indexOf("id");
const STATUS_AT = COLUMNS.indexOf("status");
const END_AT = COLUMNS.indexOf("expires_at");
const AMOUNT_AT = COLUMNS.indexOf("amount");
const UNREPORTED_AT = COLUMNS.indexOf("unreported");

export const HOLDS = new PagedTable(
  { name: "holds", columns: COLUMNS, key: ["seq"], named: ["id"], changing: CHANGING, isNumbered: true },
  {
    table: "hold_pages",
    summary: ["first_expiry", "open", "held", "unreported"],
    summarize,
    key: { index: { name: "hold_id" }, hashOf: (row) => holdKeyHash(idIn(row)), mostRows: 128 },
  },
);

/** When the first of its open holds expires, how many there are, what they hold, and how many of all were unreported. */
function summarize(rows: readonly Row[]): readonly [number | null, number, string, number] {
  let first: number | null = null;
  let open = 0;
  let held = 0n;
  let unreported = 0;
  for (const row of rows) {
    if (isUnreported(row)) unreported += 1;
    const end = expiryOfOpenHold(row);
    if (end === null) continue;
    if (first === null || end < first) first = end;
    open += 1;
    held += BigInt(row[AMOUNT_AT] ?? 0);
  }
  return [first, open, String(held), unreported];
}

/** A number by which holds are found. All holds of one request share it. */
export function holdKeyHash(id: string): number {
  const number = requestNumber(id);
  return ((number << 2) | (number & 3)) >>> 0;
}

export function idIn(row: Row): string {
  return String(row[ID_AT]);
}

export function isSettled(row: Row): boolean {
  return row[STATUS_AT] === "settled";
}

export function isUnreported(row: Row): boolean {
  return (row[UNREPORTED_AT] ?? null) !== null;
}

/** When an open hold expires. Null if it is not open. */
export function expiryOfOpenHold(row: Row): number | null {
  return row[STATUS_AT] === "open" ? Number(row[END_AT]) : null;
}

/** What a hold has in common with all others, unless something is known of it. */
export const PLAIN_HOLD = {
  status: "open",
  ended_at: null,
  verdict: "",
  unreported: null,
  rates: "",
  tokens: 0,
  beside: null,
  asked: null,
  key_id: null,
} as const;

/** In the order of the columns. Written out, because reports and bulks have thousands of them. */
export function toRow(hold: HoldRow): Row {
  return [
    hold.seq ?? null,
    hold.id,
    hold.status,
    hold.at,
    hold.expires_at,
    hold.ended_at,
    hold.amount,
    hold.meters,
    hold.customer_id,
    hold.verdict,
    hold.unreported,
    hold.rates,
    hold.tokens,
    hold.beside,
    hold.asked,
    hold.key_id,
  ];
}

export function toHoldRow(row: Row): HoldRow {
  const hold = {
    seq: row[0] ?? null,
    id: row[1] ?? null,
    status: row[2] ?? null,
    at: row[3] ?? null,
    expires_at: row[4] ?? null,
    ended_at: row[5] ?? null,
    amount: row[6] ?? null,
    meters: row[7] ?? null,
    customer_id: row[8] ?? null,
    verdict: row[9] ?? null,
    unreported: row[10] ?? null,
    rates: row[11] ?? null,
    tokens: row[12] ?? null,
    beside: row[13] ?? null,
    asked: row[14] ?? null,
    key_id: row[15] ?? null,
  } satisfies Record<keyof HoldRow, Value>;
  return hold as HoldRow;
}
