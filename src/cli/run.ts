import { Refused, SluiceError, Unreachable } from "../client/index.ts";
import { apply } from "./apply.ts";
import { type Command, Failure, type Terminal, UsageError } from "./command.ts";
import { addressIn } from "./connection.ts";
import { decide } from "./decide.ts";
import { explain } from "./explain.ts";
import { exportSettings } from "./export.ts";
import { optionsOf, readArguments } from "./arguments.ts";
import { plan } from "./plan.ts";
import { report } from "./report.ts";
import { tail } from "./tail.ts";

const COMMANDS: Readonly<Record<string, Command>> = {
  decide,
  explain,
  report,
  tail,
  export: exportSettings,
  plan,
  apply,
};

const DONE = 0;
const REFUSED = 1;
const MISUSED = 2;

/** Runs a command to its end. Resolves to the exit status of the process. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const [name = "", ...rest] = args;
  if (name === "" || name === "--help" || name === "-h" || name === "help") {
    terminal.out(helpText());
    return name === "" ? MISUSED : DONE;
  }
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`there is no command ${JSON.stringify(name)}`);
    const given = readArguments(name, command, rest);
    if (given.options["help"] !== true) return (await command.run(given, terminal)) ?? DONE;
    terminal.out(helpOf(name, command));
    return DONE;
  } catch (thrown) {
    const error = toOwnError(thrown, command, terminal);
    if (error === null) throw thrown;
    const isUsage = error instanceof UsageError;
    const help = command === undefined ? "sluice --help" : `sluice ${name} --help`;
    const said = isUsage ? `${error.message} (${help} says more)` : error.message;
    terminal.error(said.replaceAll(/^/gm, "sluice: ").concat("\n"));
    return isUsage ? MISUSED : REFUSED;
  }
}

/** Returns an error in the words of the command line. Null if it is a defect. */
function toOwnError(thrown: unknown, command: Command | undefined, { env }: Terminal): Error | null {
  if (thrown instanceof UsageError || thrown instanceof Failure) return thrown;
  if (thrown instanceof Unreachable) {
    if (thrown.cause instanceof Failure) return thrown.cause;
    return thrown.cause instanceof SyntaxError ? notSluice(env) : thrown;
  }
  if (!(thrown instanceof SluiceError)) return null;
  // The client names its options, which are variables and options here.
  if (!(thrown instanceof Refused))
    return new Failure([thrown.message.replace(/^url /, "SLUICE_URL ").replace(/^org /, "--org ")]);
  if (thrown.code === "unauthorized") {
    const trace = thrown.traceId === null ? "" : ` [trace ${thrown.traceId}]`;
    return new Failure([`${addressIn(env)} does not accept the key in SLUICE_KEY (401)${trace}`]);
  }
  return (command === undefined ? null : wrongOptions(thrown, command)) ?? thrown;
}

const notSluice = (env: Terminal["env"]): Failure =>
  new Failure([`${addressIn(env)} does not answer as Sluice does: is SLUICE_URL right?`]);

/** The service names fields of its own, and whoever typed the command knows options. */
function wrongOptions(refused: Refused, { options }: Command): UsageError | null {
  if (refused.code !== "validation_failed") return null;
  const complaints = refused.details.fields.flatMap(({ field, message }) => {
    const last = field.split(".").at(-1) ?? "";
    const names = Object.entries(options);
    const [option] =
      names.find(([name, { field: own }]) => (own ?? name.replaceAll("-", "_")) === last) ?? [];
    return option === undefined ? [] : [`--${option} ${message}`];
  });
  return complaints.length < refused.details.fields.length ? null : new UsageError(complaints.join("; "));
}

function helpText(): string {
  const lines = Object.entries(COMMANDS).map(([name, { summary }]) => `  ${name.padEnd(9)} ${summary}`);
  return `Usage: sluice <command> [options]

${lines.join("\n")}

sluice <command> --help lists the options of a command.
SLUICE_URL is where Sluice is served (http://127.0.0.1:8787 if it is not set), SLUICE_KEY an API key.
`;
}

function helpOf(name: string, command: Command): string {
  const { usage, summary } = command;
  const lines = Object.entries(optionsOf(command)).map(([option, { type, short, says }]) => {
    const shown = `${short === undefined ? "" : `-${short}, `}--${option}${type === "string" ? " …" : ""}`;
    return `  ${shown.padEnd(24)} ${says}\n`;
  });
  return `Usage: sluice ${name} ${usage}\n\n${summary}\n\n${lines.join("")}`;
}
