import { parseArgs } from "node:util";
import { Complaint } from "../complaint.ts";

/** Defects that the checks must find. */
export const PLANTS = [
  "lost-report",
  "doubled-settlement",
  "skipped-check",
  "overspent-limit",
  "logged-secret",
] as const;
export type Plant = (typeof PLANTS)[number];

export interface ChaosOptions {
  readonly seconds: number;
  /** Goes on for longer than `seconds`, until there were so many. */
  readonly kills: number;
  readonly seed: number;
  readonly plant: Plant | null;
}

const USE = "Use: npm run chaos -- [--seconds N] [--kills N] [--seed N] [--plant DEFECT]";
const USUAL_SECONDS = 60;
const MOST = { seconds: 86_400, kills: 100_000, seed: 2 ** 32 - 1 };

/** npm keeps options that come without `--` before them to itself, and hands them on in the environment. */
export function chaosOptions(args: readonly string[], npm: NodeJS.ProcessEnv): ChaosOptions {
  const values = parsed(args);
  const given = (name: keyof typeof MOST | "plant") => values[name] ?? npm[`npm_config_${name}`];
  const number = (name: keyof typeof MOST, usual: number): number => {
    const text = given(name);
    if (text === undefined || text === "") return usual;
    if (/^\d{1,10}$/.test(text) && Number(text) <= MOST[name]) return Number(text);
    throw new Complaint(
      `--${name} must be a whole number up to ${MOST[name]}, not ${JSON.stringify(text)}\n${USE}`,
    );
  };
  const plant = given("plant") ?? null;
  if (plant !== null && !PLANTS.some((one) => one === plant)) {
    throw new Complaint(`--plant must be one of ${PLANTS.join(", ")}, not ${JSON.stringify(plant)}\n${USE}`);
  }
  return {
    seconds: number("seconds", USUAL_SECONDS),
    kills: number("kills", 0),
    seed: number("seed", Math.floor(Math.random() * MOST.seed)),
    plant: plant as Plant | null,
  };
}

function parsed(args: readonly string[]) {
  const option = { type: "string" } as const;
  try {
    const options = { seconds: option, kills: option, seed: option, plant: option };
    return parseArgs({ args: [...args], options }).values;
  } catch (error) {
    throw new Complaint(`${error instanceof Error ? error.message : String(error)}\n${USE}`);
  }
}
