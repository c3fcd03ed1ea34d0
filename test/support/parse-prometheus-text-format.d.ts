declare module "parse-prometheus-text-format" {
  interface ParsedMetric {
    readonly value?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly buckets?: Readonly<Record<string, string>>;
    readonly count?: string;
    readonly sum?: string;
  }
  interface ParsedFamily {
    readonly name: string;
    readonly help: string;
    readonly type: string;
    readonly metrics: readonly ParsedMetric[];
  }
  // The package has no other export.
  // oxlint-disable-next-line import/no-default-export -- the package's own form
  export default function parsePrometheusTextFormat(text: string): ParsedFamily[];
}
