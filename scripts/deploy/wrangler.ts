import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { Complaint } from "../complaint.ts";
import { ROOT } from "../worker-config.ts";

export interface Said {
  readonly isDone: boolean;
  readonly stdout: string;
  readonly stderr: string;
}

/** The wrangler command. Secrets go to its standard input, never into its arguments, which other processes can read. */
export class Wrangler {
  readonly #command: string;
  readonly #config: string;
  readonly #environment: string;

  constructor({ config, environment }: { readonly config: string; readonly environment: string }) {
    this.#command = process.env["SLUICE_WRANGLER"] ?? join(ROOT, "node_modules/.bin/wrangler");
    this.#config = config;
    this.#environment = environment;
  }

  /** Runs a command that may fail. */
  try(args: readonly string[], input = ""): Said {
    const { status, stdout, stderr, error } = spawnSync(this.#command, [...args, ...this.#where()], {
      cwd: ROOT,
      encoding: "utf8",
      input,
      env: { ...process.env, WRANGLER_SEND_METRICS: "false", NO_COLOR: "1" },
      maxBuffer: 64 * 1024 * 1024,
    });
    if (error !== undefined) throw new Complaint(`cannot run ${this.#command}: ${error.message}`);
    return { isDone: status === 0, stdout, stderr };
  }

  run(args: readonly string[], input = ""): Said {
    const said = this.try(args, input);
    if (said.isDone) return said;
    throw new Complaint(`wrangler ${args.join(" ")} failed:\n${said.stderr.trim() || said.stdout.trim()}`);
  }

  json(args: readonly string[]): unknown {
    const { stdout } = this.run(args);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Complaint(`wrangler ${args.join(" ")} did not answer with JSON:\n${stdout.slice(0, 500)}`);
    }
  }

  #where(): string[] {
    return ["--config", this.#config, "--env", this.#environment];
  }
}
