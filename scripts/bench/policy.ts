import { compile, compileLinear } from "../../src/domain/policy/engine.ts";
import { attemptOf } from "../../src/domain/policy/attempt.ts";
import { judge, type PolicyRule, policySet } from "../../src/domain/policy/policy.ts";
import { type Detector, detectorSet, scan } from "../../src/domain/safety/safety.ts";
import { oneRunsSteps } from "../../src/domain/policy/step-budget.ts";
import { BUILT_INS } from "../../src/domain/safety/detectors.ts";
import type { BenchRow } from "./bench-row.ts";
import { QUICK } from "./harness.ts";

const NOW = Date.UTC(2026, 6, 22);
const MEASURED_MS = QUICK ? 200 : 1_000;

/** Typical rules: a model, a few customers, a price, a time of day, a pattern. */
const WHENS = [
  'model == "acme/other" && customer_id in ["cus_1", "cus_2"]',
  "estimate.cost_usd > 1000 && run.usage.input_tokens > 5000",
  'action.startsWith("delete") || action == "deploy"',
  "now.getHours() < 6 && estimate.cost_usd > 500",
  'model.matches("^legacy/.*-(preview|beta)$")',
];

const RULES = Array.from({ length: 50 }, (_, index): PolicyRule => ({
  id: `rule_${index}`,
  target: "model",
  effect: "deny",
  when: WHENS[index % WHENS.length] ?? "false",
  reason: "bench",
  priority: index,
  mode: "enforce",
}));

const RUN = {
  model: "acme/m1",
  action: "chat.completion",
  customer_id: "cus_0000000001",
  usage: { input_tokens: 1_800, output_tokens: 600 },
};

const INPUT = "Please summarise the attached report for the board, in three short paragraphs. ".repeat(25);

/** What policies and detectors add to a reported run inside the object, measured alone. */
export function run(): Promise<BenchRow[]> {
  const detectors = Object.keys(BUILT_INS).map((id): Detector => ({ id, kind: "builtin", action: "block" }));
  const attempt = attemptOf(RUN, 1_250_000n);
  const judged = (rules: readonly PolicyRule[]) => {
    const set = policySet(rules, compile);
    return () => judge(set, attempt, NOW);
  };
  return Promise.resolve([
    measure("policy: no rules", judged([])),
    measure("policy: 50 rules, none matches", judged(RULES)),
    measure("safety: no detectors", scanned([])),
    measure("safety: 7 detectors on 2 kB", scanned(detectors)),
  ]);
}

function scanned(detectors: readonly Detector[]): () => unknown {
  const set = detectorSet(detectors, () => compileLinear);
  return () => scan(set, INPUT, oneRunsSteps());
}

/** Processor time, so that other load on the machine does not count. */
function measure(name: string, step: () => unknown): BenchRow {
  for (let i = 0; i < 500; i++) step();
  const started = process.cpuUsage();
  let count = 0;
  let spentMicros = 0;
  while (spentMicros < MEASURED_MS * 1_000) {
    for (let i = 0; i < 100; i++) step();
    count += 100;
    const { user, system } = process.cpuUsage(started);
    spentMicros = user + system;
  }
  const micros = spentMicros / count;
  return {
    name,
    perSecond: Math.round(1_000_000 / micros),
    cpuMicros: Math.round(micros * 100) / 100,
    ratio: null,
    of: null,
    target: null,
    note: "in process",
  };
}
