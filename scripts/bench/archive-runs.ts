/** Made-up runs by number: ids in no order, one run every 20 ms. */

const MIX = 0x9e37_79b1;
export const STEP_MS = 20;
const MODELS = 7;
const CUSTOMERS = 50;

/** 36 characters, as most callers send. Different numbers below 2 ** 32 have different ids. */
export function idOf(number: number): string {
  const mixed = (Math.imul(number, MIX) >>> 0).toString(16).padStart(8, "0");
  return `${mixed}-7d1f-4c4e-9b1a-${mixed}${mixed.slice(0, 4)}`;
}

export function modelOf(number: number): string {
  return `acme/m${number % MODELS}`;
}

export function nanosOf(number: number): number {
  return (number * 7919) % 10_000_000;
}

/** What the runs of these numbers cost. `to` is not included. */
export function costOf(from: number, to: number): bigint {
  let nanos = 0;
  for (let number = from; number < to; number += 1) nanos += nanosOf(number);
  return BigInt(nanos);
}

/** As the API writes it. */
export function usdOf(nanos: bigint | number): string {
  const digits = String(nanos).padStart(10, "0");
  const [whole, fraction] = [digits.slice(0, -9), digits.slice(-9).replace(/0+$/, "")];
  return `${whole}.${fraction.padEnd(2, "0")}`;
}

/** As a caller sends it. */
export function runAt(number: number, startMs: number): object {
  const startedAt = startMs + number * STEP_MS;
  return {
    id: idOf(number),
    started_at: new Date(startedAt).toISOString(),
    ended_at: new Date(startedAt + 700).toISOString(),
    model: modelOf(number),
    provider: "acme",
    action: "chat.completion",
    workflow_id: "wf_support_answers",
    deployment_id: "dep_europe_production",
    department_id: "dpt_customer_care",
    customer_id: `cus_${number % CUSTOMERS}`,
    usage: { input_tokens: 1000 + (number % 3000), output_tokens: number % 900 },
    cost_usd: usdOf(nanosOf(number)),
  };
}
