import type { NewListedModel } from "../../src/contract/resources/price-book.ts";
import { type TokenClass, TOKEN_PARTS } from "../../src/contract/token-classes.ts";
import { decimal } from "./terms.ts";

/** Hosts round, and a difference of so much is none. */
const ALLOWED_DIFFERENCE = 0.04;
/** What hosts write before a model's name. */
const PREFIX = /^.*\/|^(?:[a-z]+\.)?(?:anthropic|openai)\./;
const VERSION = /-v\d(?::\d)?$/;
/** Models that their makers do not give away: who hosts them pays the maker. Others may be hosted at any price. */
const MAKERS: readonly (readonly [maker: string, models: RegExp])[] = [
  ["anthropic", /^claude/],
  ["openai", /^(?:gpt-(?!oss)|o\d)/],
  ["google", /^gemini/],
  ["x-ai", /^grok/],
];

type Row = NewListedModel;
type Rate = `${TokenClass | "input" | "output"}_usd_per_mtok`;
type Level = { readonly [Name in Rate]?: string | undefined };

/** Each rate, and the one that stands for it where a price has none. */
const RATES: readonly { readonly rate: Rate; readonly usual: Rate }[] = [
  { rate: "input_usd_per_mtok", usual: "input_usd_per_mtok" },
  { rate: "output_usd_per_mtok", usual: "output_usd_per_mtok" },
  ...TOKEN_PARTS.map(
    ({ name, total }) => ({ rate: `${name}_usd_per_mtok`, usual: `${total}_usd_per_mtok` }) as const,
  ),
];

/** How the row of a model at its maker is found. */
export type FindRow = (maker: string, model: string) => Row | undefined;

export interface ComparedRow {
  readonly row: Row;
  /** One line that says what differs. Null if nothing does. */
  readonly disagreement: string | null;
}

/** The row of a host, with the dearer of its rates and its maker's if they disagree: one of the two is out of date. */
export function withMakersPrices(row: Row, find: FindRow): ComparedRow {
  const own = row.model.slice(row.model.startsWith(`${row.provider}/`) ? `${row.provider}/`.length : 0);
  const name = own.replace(PREFIX, "").replace(VERSION, "");
  const [maker] = MAKERS.find(([, models]) => models.test(name)) ?? [null];
  const makers =
    maker === null || maker === row.provider || name.endsWith(":free") ? undefined : find(maker, name);
  const differences = makers === undefined ? [] : differencesOf(row, makers);
  if (makers === undefined || differences.length === 0) return { row, disagreement: null };
  return {
    row: dearer(row, makers),
    disagreement: `${row.model}, ${makers.model}: ${differences.join(", ")}`,
  };
}

const startsOf = ({ tiers = [] }: Row) => tiers.map(({ above_input_tokens: start }) => start);

function differencesOf(host: Row, maker: Row): string[] {
  const rates = RATES.flatMap(({ rate }) => {
    const [at, by] = [host[rate], maker[rate]];
    const isSame = at === undefined || by === undefined || isNear(Number(at), Number(by));
    return isSame ? [] : [`${rate} ${at} and ${by}`];
  });
  const [at, by] = [startsOf(host), startsOf(maker)];
  const isSame = at.length === by.length && at.every((start, index) => isNear(start, by[index] ?? 0));
  return isSame
    ? rates
    : [...rates, `tiers above ${at.join(" ") || "nothing"} and ${by.join(" ") || "nothing"}`];
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= ALLOWED_DIFFERENCE * other;
}

function dearer(host: Row, maker: Row): Row {
  const { tiers: _, ...others } = host;
  const starts = [...new Set([...startsOf(host), ...startsOf(maker)])].sort((a, b) => a - b);
  const tiers = starts.map((start) => ({
    above_input_tokens: start,
    ...dearerLevel(levelOf(host, start), levelOf(maker, start), { host, maker }),
  }));
  const first = dearerLevel(host, maker, { host, maker });
  return { ...others, ...first, ...(tiers.length === 0 ? {} : { tiers }) };
}

/** The rates of input of one token more than the start of a tier. */
function levelOf(row: Row, start: number): Level {
  return row.tiers?.findLast(({ above_input_tokens: above }) => above <= start) ?? row;
}

/** A host that is dearer than the maker is that in the maker's tiers, too. */
function dearerLevel(at: Level, by: Level, { host, maker }: { host: Row; maker: Row }) {
  const rates = RATES.flatMap(({ rate, usual }) => {
    const [ours, makers] = [at[rate] ?? at[usual] ?? host[usual], by[rate] ?? by[usual] ?? maker[usual]];
    const share = Number(makers) / Number(maker[rate] ?? maker[usual]);
    const scaled = Number.isFinite(share) ? Number(host[rate] ?? host[usual]) * share : 0;
    const most = Math.max(Number(ours), Number(makers), scaled);
    return at[rate] === undefined && by[rate] === undefined ? [] : [[rate, decimal(most)] as const];
  });
  return Object.fromEntries(rates);
}
