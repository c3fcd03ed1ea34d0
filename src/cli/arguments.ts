import { parseArgs } from "node:util";
import { type Command, type CommandInput, type Option, UsageError } from "./command.ts";

const HELP: Option = { type: "boolean", short: "h", says: "prints this" };

export const optionsOf = ({ options }: Command): Readonly<Record<string, Option>> => ({
  ...options,
  help: HELP,
});

/** Reads the arguments of a command. Throws what is wrong with them, in the words of its help. */
export function readArguments(name: string, command: Command, args: readonly string[]): CommandInput {
  const known = optionsOf(command);
  const { positionals, tokens } = parseArgs({
    args: [...args],
    options: Object.fromEntries(
      Object.entries(known).map(([option, { type, short }]) => [
        option,
        { type, ...(short === undefined ? {} : { short }) },
      ]),
    ),
    allowPositionals: true,
    strict: false,
    tokens: true,
  });
  const options = tokens.flatMap((token): [string, string | boolean][] =>
    token.kind === "option" ? [[token.name, valueOf(token, name, known)]] : [],
  );
  return { options: Object.fromEntries(options), arguments: positionals };
}

interface Given {
  readonly name: string;
  readonly rawName: string;
  readonly value: string | undefined;
  readonly inlineValue: boolean | undefined;
}

function valueOf(given: Given, command: string, known: Readonly<Record<string, Option>>): string | boolean {
  const { name, rawName, value, inlineValue } = given;
  const option = Object.hasOwn(known, name) ? known[name] : undefined;
  if (option === undefined)
    throw new UsageError(`${command} has no option ${rawName}. ${suggestionFor(name, known)}`);
  if (option.type === "boolean") {
    if (value !== undefined) throw new UsageError(`${rawName} takes no value`);
    return true;
  }
  // "-" is the standard input, and "-1" a wrong amount. Anything else with a hyphen is the next option.
  const isNext = inlineValue !== true && value !== undefined && /^-\D/.test(value);
  if (value === undefined || isNext) throw new UsageError(`${rawName} needs a value: ${option.says}`);
  return value;
}

function suggestionFor(name: string, known: Readonly<Record<string, Option>>): string {
  const said = name.replaceAll("_", "-");
  const names = Object.keys(known);
  const similar =
    said === "" ? [] : names.filter((one) => one.startsWith(said) || said.startsWith(`${one}-`));
  return similar.length > 0
    ? `Did you mean ${namesText(similar, " or ")}?`
    : `It has ${namesText(names, ", ")}`;
}

const namesText = (names: readonly string[], by: string) => names.map((name) => `--${name}`).join(by);
