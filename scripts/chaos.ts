/** `npm run chaos`: kills, stops, cuts, fills and moves clocks under load, and checks that every promise held. */
import { type Violation, violationsOf } from "./chaos/check.ts";
import type { History } from "./chaos/history.ts";
import { chaosOptions } from "./chaos/options.ts";
import { Pace } from "./chaos/pace.ts";
import { Progress } from "./chaos/progress.ts";
import { runChaos } from "./chaos/run.ts";
import { comparedEnding, earlyEnding, type Ending, STATUS } from "./chaos/verdict.ts";
import { Complaint } from "./complaint.ts";

const MOST_SHOWN = 20;

const progress = new Progress();
const ending = new AbortController();
for (const signal of ["SIGTERM", "SIGHUP"] as const)
  process.once(signal, () => endEarly(`ended by ${signal}`));
process.once("SIGINT", () => {
  console.error("Ends here, and checks what was done so far. Once more to stop at once.");
  ending.abort();
  process.once("SIGINT", () => endEarly("stopped at once"));
});

try {
  const options = chaosOptions(process.argv.slice(2), process.env);
  const { seed, seconds, kills, plant } = options;
  console.log(
    `chaos: seed ${seed}, ${seconds} seconds${kills > 0 ? ` and ${kills} kills` : ""}${plant === null ? "" : `, with a planted defect: ${plant}`}`,
  );
  const history = await runChaos(options, {
    ending: ending.signal,
    pace: await Pace.measured(),
    progress,
  });
  const made = progress.faults?.kills ?? 0;
  if (made < kills) console.log(`Only ${made} kills of ${kills}: the machine is busy`);
  const violations = violationsOf(history);
  const isIdle = history.orgs.some(({ runs }) => runs.length === 0);
  end([...historyText(history), ...shown(violations)], comparedEnding(violations.length, isIdle));
} catch (error) {
  if (!(error instanceof Complaint)) console.error(error);
  endEarly(error);
}

function endEarly(cause: unknown): never {
  const violations = progress.found.map((what) => `VIOLATION ${what}`);
  return end(violations.slice(0, MOST_SHOWN), earlyEnding(cause, violations.length));
}

function end(lines: readonly string[], { verdict, why }: Ending): never {
  console.log([...progress.counts, ...lines, `${verdict.toUpperCase()}: ${why}`].join("\n"));
  process.exit(STATUS[verdict]);
}

function historyText({ orgs, proxy }: History): string[] {
  const total = (count: (org: (typeof orgs)[number]) => number) =>
    orgs.reduce((sum, org) => sum + count(org), 0);
  const runs = total((org) => org.stored.runsInTheEnd.length);
  const forbidden = total((org) => org.forbidden.length);
  return [
    `${runs} runs stored, ${total((org) => org.allows.length)} allows, ${forbidden} calls that had to be refused,`,
    `${total((org) => org.limits.length)} limits set, ${total((org) => org.limited)} calls refused by one;`,
    `${proxy.served} calls served through the proxy, ${proxy.recorded} recorded`,
  ];
}

function shown(violations: readonly Violation[]): string[] {
  return [
    ...violations.slice(0, MOST_SHOWN).map(({ kind, what }) => `VIOLATION ${kind}: ${what}`),
    ...(violations.length > MOST_SHOWN ? [`… and ${violations.length - MOST_SHOWN} more`] : []),
    `${progress.faults?.kills ?? 0} kills, ${violations.length} violations`,
  ];
}
