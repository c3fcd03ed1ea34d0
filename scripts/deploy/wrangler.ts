import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Complaint } from "../complaint.ts";
import { ROOT } from "../worker-config.ts";

export interface WranglerResult {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs wrangler with these arguments and this standard input. */
export type WranglerCommand = (args: readonly string[], input: string) => WranglerResult;

/** The installed command, or the one that the environment names. */
export function wranglerCommand(env: NodeJS.ProcessEnv): WranglerCommand {
  const command = env["SLUICE_WRANGLER"] ?? join(ROOT, "node_modules/.bin/wrangler");
  return (args, input) => {
    const { status, stdout, stderr, error } = spawnSync(command, args, {
      cwd: ROOT,
      encoding: "utf8",
      input,
      env: { ...env, WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error !== undefined) throw new Complaint(`cannot run ${command}: ${error.message}`);
    return { isDone: status === 0, stdout, stderr };
  };
}

interface Where {
  readonly config: string;
  readonly environment: string;
}

/** The wrangler command. Secrets go to its standard input, never into its arguments, which other processes can read. */
export class Wrangler {
  readonly #command: WranglerCommand;
  readonly #where: Where;

  constructor(command: WranglerCommand, where: Where) {
    this.#command = command;
    this.#where = where;
  }

  /** The same command for another Worker. */
  at(where: Where): Wrangler {
    return new Wrangler(this.#command, where);
  }

  /** Runs a command that may fail. */
  try(args: readonly string[], input = ""): WranglerResult {
    const { config, environment } = this.#where;
    return this.#command([...args, "--config", config, "--env", environment], input);
  }

  run(args: readonly string[], input = ""): WranglerResult {
    const said = this.try(args, input);
    if (said.isDone) return said;
    throw new Complaint(failure(args, said));
  }

  json(args: readonly string[]): unknown {
    const { stdout } = this.run(args);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Complaint(`wrangler ${args.join(" ")} did not answer with JSON:\n${stdout.slice(0, 500)}`);
    }
  }
}

/** The words of a command that failed. */
export function failure(args: readonly string[], { stderr, stdout }: WranglerResult): string {
  return `wrangler ${args.join(" ")} failed:\n${stderr.trim() || stdout.trim()}`;
}
