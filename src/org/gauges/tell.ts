import { type GaugeNamespace, type GaugeValue, shardOf } from "../../contract/metrics.ts";

/** Tells the org's shard what has changed since the last time. */
export function gaugeTelling(
  shards: GaugeNamespace,
  orgId: string,
  measured: () => GaugeValue[],
): () => Promise<void> {
  const sentGauges = new Map<string, number | null>();
  return async () => {
    const changed = measured().filter(([name, value]) => sentGauges.get(name) !== value);
    if (changed.length === 0) return;
    await shards.getByName(shardOf(orgId)).tell(orgId, changed);
    for (const [name, value] of changed) sentGauges.set(name, value);
  };
}
