import { run } from "../../src/cli/run.ts";
import type { SluiceOptions } from "../../src/client/index.ts";
import { PATIENCE_MS } from "./patience.ts";

/** The command `sluice`, in this process, with files that are texts. */
export interface CommandAt {
  readonly url?: string;
  readonly key?: string;
  readonly fetch?: NonNullable<SluiceOptions["fetch"]>;
  readonly answerMs?: number;
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly ask?: (question: string) => Promise<string | null>;
  /** How often it waits before it ends. */
  readonly waits?: () => Promise<boolean>;
}

export interface CommandRan {
  readonly code: number;
  readonly out: string;
  readonly error: string;
}

export async function sluiceCommand(args: readonly string[], at: CommandAt): Promise<CommandRan> {
  const said = { out: "", error: "" };
  const named = { SLUICE_URL: at.url, SLUICE_KEY: at.key };
  const code = await run(args, {
    out: (text) => void (said.out += text),
    error: (text) => void (said.error += text),
    fetch: at.fetch ?? fetch,
    answerMs: at.answerMs ?? PATIENCE_MS,
    read(path) {
      const text = at.files?.[path];
      if (text === undefined) throw new Error("there is no such file");
      return text;
    },
    env: { ...named, ...at.env },
    ask: at.ask ?? (async () => null),
    wait: at.waits ?? (async () => false),
  });
  return { code, ...said };
}
