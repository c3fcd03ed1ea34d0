import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../worker-config.ts";
import type { Piece } from "./piece.ts";

/** An answer of a provider's reference, and what it costs. */
export interface Recorded {
  readonly provider: string;
  /** Method and path. */
  readonly call: string;
  readonly model: string | null;
  readonly whole: { readonly body?: object; readonly charged: Charged | null };
  readonly stream: {
    readonly events: readonly { readonly event?: string; readonly data: object | string }[];
    readonly charged: Charged | null;
  } | null;
}

interface Charged {
  readonly usage: { readonly input_tokens?: number; readonly output_tokens?: number };
}

const FOLDER = join(ROOT, "test/fixtures/providers");

let all: readonly Recorded[] | null = null;

/** What a provider whose words are not known here answers: always the same. */
export function recordedAnswer(provider: string, call: string): Recorded | undefined {
  all ??= existsSync(FOLDER) ? readAll() : [];
  return all.find((one) => one.provider === provider && one.call === call);
}

function readAll(): Recorded[] {
  const files = readdirSync(FOLDER, { recursive: true, encoding: "utf8" });
  return files
    .filter((path) => path.endsWith(".json"))
    .flatMap((path) => JSON.parse(readFileSync(join(FOLDER, path), "utf8")) as Recorded | Recorded[]);
}

/** The last event tells the usage, so what was written comes before it. */
export function recordedPieces({ stream }: Recorded): Piece[] {
  const { events = [], charged } = stream ?? {};
  const tokens = charged?.usage.output_tokens ?? 0;
  return events.map(({ event, data }, at) => ({
    text: `${event === undefined ? "" : `event: ${event}\n`}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`,
    tokens: at === 0 ? tokens : 0,
  }));
}
