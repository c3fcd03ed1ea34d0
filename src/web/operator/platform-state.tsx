import type { Child } from "hono/jsx";
import { HOUR_MS, MINUTE_MS } from "../../contract/durations.ts";
import { count } from "../console/view/format.ts";
import { Badge, Tile, Tiles, type Tone } from "../console/view/parts.tsx";
import type { DeepHealth, PartHealth } from "../deep-health.ts";
import type { MetricSums } from "../metrics.ts";
import type { OperatorVisit } from "./visit.ts";

/** The state of the platform, as it knows it. */
interface PlatformState {
  readonly health: DeepHealth;
  readonly metrics: MetricSums | null;
}

export async function readPlatformState(visit: OperatorVisit): Promise<PlatformState> {
  const [health, metrics] = await Promise.all([visit.health(), visit.metrics()]);
  return { health, metrics };
}

const ANSWERS: Readonly<Record<PartHealth, readonly [text: string, tone: Tone]>> = {
  ok: ["answers", "good"],
  failing: ["fails", "bad"],
  too_slow: ["too slow", "bad"],
  unbound: ["not used", "plain"],
};

export function PartBadge({ is }: { is: PartHealth }) {
  const [text, tone] = ANSWERS[is];
  return <Badge tone={tone}>{text}</Badge>;
}

/** From when scheduled work is late. Objects tell of theirs every few seconds, and exports wait for their window. */
const LATE_MS = { due: MINUTE_MS, exports: 2 * HOUR_MS } as const;

/** The archive, the receivers of webhooks and scheduled work, for whoever opens the console. */
export function PlatformTiles({ of: { health, metrics } }: { of: PlatformState }) {
  const failures = metrics?.svc_archive_failures_total;
  const failing = metrics?.svc_webhook_failing;
  return (
    <Tiles>
      <Tile label="Archive" value={<PartBadge is={health.archive} />}>
        {failures === undefined ? NOT_READ : `${count(failures)} failed reads and writes so far`}
      </Tile>
      <Tile label="Webhooks" value={figure(failing, (many) => [`${count(many)} failing`, many > 0])}>
        <a href="/operator?sort=-failing_webhooks">Organizations with failing webhooks</a>
      </Tile>
      <Tile label="Due work" value={lateness(metrics?.svc_due_oldest_seconds, LATE_MS.due)}>
        The oldest that is overdue
      </Tile>
      <Tile label="Exports" value={lateness(metrics?.svc_export_lag_seconds, LATE_MS.exports)}>
        The oldest that waits
      </Tile>
      <Tile label="Database and objects" value={<PartBadge is={worse(health.database, health.object)} />}>
        <a href="/operator/health">Health</a>
      </Tile>
    </Tiles>
  );
}

const NOT_READ = "Not read: the counters do not answer.";

function figure(
  value: number | undefined,
  describe: (value: number) => readonly [text: string, isBad: boolean],
): Child {
  if (value === undefined) return <Badge tone="warn">not read</Badge>;
  const [text, isBad] = describe(value);
  return <Badge tone={isBad ? "bad" : "good"}>{text}</Badge>;
}

function lateness(seconds: number | undefined, lateMs: number): Child {
  return figure(seconds, (late) =>
    late * 1000 <= lateMs ? ["on time", false] : [`${count(Math.round(late / 60))} min late`, true],
  );
}

function worse(one: PartHealth, other: PartHealth): PartHealth {
  return one === "ok" ? other : one;
}
