/** Counters, gauges and histograms in the Prometheus text exposition format, version 0.0.4. */

export const EXPOSITION_TYPE = "text/plain; version=0.0.4; charset=utf-8";

interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface SampledFamily {
  readonly type: "counter" | "gauge";
  readonly name: string;
  readonly help: string;
  readonly samples: readonly Sample[];
}

/** `counts[i]` is at or below `bounds[i]`, and the last count is above all bounds. Counts are not cumulative. */
export interface Distribution {
  readonly labels: Readonly<Record<string, string>>;
  readonly counts: readonly number[];
  readonly sum: number;
}

export interface HistogramFamily {
  readonly type: "histogram";
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
  readonly distributions: readonly Distribution[];
}

export type MetricFamily = SampledFamily | HistogramFamily;

export function exposition(families: readonly MetricFamily[]): string {
  return families.map(familyText).join("");
}

function familyText(family: MetricFamily): string {
  const lines = [
    `# HELP ${family.name} ${family.help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}`,
    `# TYPE ${family.name} ${family.type}`,
    ...(family.type === "histogram"
      ? family.distributions.flatMap(histogramLines(family))
      : sampledLines(family)),
  ];
  return `${lines.join("\n")}\n`;
}

function sampledLines(family: SampledFamily): string[] {
  return family.samples.map(({ labels, value }) => sampleLine(family.name, labels, value));
}

function histogramLines({ name, bounds }: HistogramFamily): (distribution: Distribution) => string[] {
  return ({ labels, counts, sum }) => {
    let total = 0;
    const buckets = [...bounds.map(String), "+Inf"].map((le, index) => {
      total += counts[index] ?? 0;
      return sampleLine(`${name}_bucket`, { ...labels, le }, total);
    });
    return [...buckets, sampleLine(`${name}_sum`, labels, sum), sampleLine(`${name}_count`, labels, total)];
  };
}

function sampleLine(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeLabel(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

function escapeLabel(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
