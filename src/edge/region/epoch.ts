import { BoundedMap } from "../../domain/cache/bounded-map.ts";

const MOST_EPOCHS = 50_000;
/** The last known epochs of objects in other regions. A pass is made for one epoch. */
const epochs = new BoundedMap<string, string>(MOST_EPOCHS);

export function knownEpoch(region: string, keeper: string): string | undefined {
  return epochs.get(`${region} ${keeper}`);
}

export function rememberEpoch(region: string, keeper: string, epoch: string): void {
  epochs.set(`${region} ${keeper}`, epoch);
}
