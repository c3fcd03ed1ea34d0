import { LIMIT_GAUGES, type LIMIT_LABELS, LIMITS_LEFT_OUT } from "../../contract/metrics.ts";
import type { SampledFamily } from "./exposition.ts";

type GaugeName = keyof typeof LIMIT_GAUGES;

/** One limit of an org, as its own Prometheus sees it. Null if there is no such value. */
export interface LimitReading {
  readonly labels: Readonly<Record<(typeof LIMIT_LABELS)[number], string>>;
  readonly limit: number | null;
  readonly spent: number | null;
  readonly reserved: number | null;
  readonly resetsInSeconds: number | null;
}

const VALUES: Readonly<Record<GaugeName, (reading: LimitReading) => number | null>> = {
  svc_limit: ({ limit }) => limit,
  svc_limit_spent: ({ spent }) => spent,
  svc_limit_reserved: ({ reserved }) => reserved,
  svc_limit_resets_in_seconds: ({ resetsInSeconds }) => resetsInSeconds,
};

export function limitFamilies(readings: readonly LimitReading[], leftOut: number): SampledFamily[] {
  const families = (Object.keys(LIMIT_GAUGES) as GaugeName[]).map((name): SampledFamily => ({
    type: "gauge",
    name,
    help: LIMIT_GAUGES[name],
    samples: readings.flatMap((reading) => {
      const value = VALUES[name](reading);
      return value === null ? [] : [{ labels: reading.labels, value }];
    }),
  }));
  const { name, help } = LIMITS_LEFT_OUT;
  return [...families, { type: "gauge", name, help, samples: [{ labels: {}, value: leftOut }] }];
}
