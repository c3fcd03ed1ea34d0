/** `npm run chaos`: kills, stops, cuts, fills and moves clocks under load, and checks that every promise held. */
import { type Violation, violationsOf } from "./chaos/check.ts";
import { chaosOptions } from "./chaos/options.ts";
import { inTime } from "./chaos/in-time.ts";
import { type Outcome, runChaos } from "./chaos/run.ts";
import { mostSecondsOf } from "./chaos/shares.ts";
import { run } from "./complaint.ts";

const MOST_SHOWN = 20;

const ending = new AbortController();
for (const signal of ["SIGTERM", "SIGHUP"] as const) process.once(signal, () => process.exit(130));
process.once("SIGINT", () => {
  console.error("Ends here, and checks what was done so far. Once more to stop at once.");
  ending.abort();
  process.once("SIGINT", () => process.exit(130));
});

await run(async () => {
  const options = chaosOptions(process.argv.slice(2), process.env);
  const { seed, seconds, kills, plant, patience } = options;
  console.log(
    `chaos: seed ${seed}, ${seconds} seconds${kills > 0 ? ` and ${kills} kills` : ""}${plant === null ? "" : `, with a planted defect: ${plant}`}`,
  );
  const outcome = await inTime(
    mostSecondsOf(seconds, patience),
    () => "the end of the run",
    runChaos(options, ending.signal),
  );
  if (outcome.kills < kills) console.log(`Only ${outcome.kills} kills of ${kills}: the machine is busy`);
  const violations = violationsOf(outcome.history);
  console.log(report(outcome, violations).join("\n"));
  const isIdle = outcome.history.orgs.some(({ runs }) => runs.length === 0);
  if (isIdle) console.log("An org's callers sent nothing, so this shows little: use more seconds");
  process.exit(violations.length > 0 || isIdle ? 1 : 0);
});

function report(
  { history, faults, kills, answers, diskBy, seconds }: Outcome,
  violations: readonly Violation[],
): string[] {
  const { orgs, proxy } = history;
  const total = (count: (org: (typeof orgs)[number]) => number) =>
    orgs.reduce((sum, org) => sum + count(org), 0);
  const runs = total((org) => org.stored.runsInTheEnd.length);
  const forbidden = total((org) => org.forbidden.length);
  return [
    ...[...faults]
      .toSorted(([one], [other]) => one.localeCompare(other))
      .map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`),
    diskBy === null
      ? "  A disk cannot be filled here: neither mount nor prlimit works."
      : `  Disks are filled by ${diskBy}.`,
    `${answers} answers; ${runs} runs stored, ${total((org) => org.allows.length)} allows, ${forbidden} calls that had to be refused,`,
    `${total((org) => org.limits.length)} limits set, ${total((org) => org.limited)} calls refused by one;`,
    `${proxy.served} calls served through the proxy, ${proxy.recorded} recorded`,
    `Seconds: ${Array.from(seconds, ([part, took]) => `${part} ${took}`).join(", ")}`,
    ...violations.slice(0, MOST_SHOWN).map(({ kind, what }) => `VIOLATION ${kind}: ${what}`),
    ...(violations.length > MOST_SHOWN ? [`… and ${violations.length - MOST_SHOWN} more`] : []),
    `${kills} kills, ${violations.length} violations`,
  ];
}
