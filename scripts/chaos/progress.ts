import type { Faults } from "./faults.ts";
import { Findings } from "./findings.ts";
import type { Traffic } from "./traffic.ts";
import type { World } from "./world.ts";

/** What a run has done and found so far, which is said whichever way it ends. */
export class Progress {
  readonly findings = new Findings();
  /** What each part took. */
  readonly seconds = new Map<string, number>();
  /** Null until there is one. */
  world: Pick<World, "unpromised" | "eu" | "pace"> | null = null;
  traffic: Pick<Traffic, "answers"> | null = null;
  faults: Pick<Faults, "counts" | "kills"> | null = null;

  /** Broken promises that are known before everything is compared. */
  get found(): readonly string[] {
    return [
      ...this.findings.all.map(({ kind, what }) => `${kind}: ${what}`),
      ...(this.world?.unpromised ?? []).map((what) => `unpromised answer: ${what}`),
    ];
  }

  get counts(): string[] {
    const { world, faults, findings } = this;
    return [
      ...[...(faults?.counts ?? [])]
        .toSorted(([one], [other]) => one.localeCompare(other))
        .map(([name, count]) => `  ${String(count).padStart(5)}  ${name}`),
      ...(world === null
        ? []
        : [diskText(world.eu.disk.how), `Slowness at the end: ${world.pace.slowness.toFixed(1)}`]),
      `Seconds: ${listed(this.seconds)}`,
      `Rounds: ${listed(findings.rounds)}`,
      `${this.traffic?.answers ?? 0} answers`,
    ];
  }
}

const listed = (counts: ReadonlyMap<string, number>): string =>
  Array.from(counts, ([name, count]) => `${name} ${count}`).join(", ") || "none";

function diskText(how: string | null): string {
  return how === null
    ? "  A disk cannot be filled here: neither mount nor prlimit works."
    : `  Disks are filled by ${how}.`;
}
