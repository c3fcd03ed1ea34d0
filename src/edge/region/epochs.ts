import { BoundedMap } from "../../domain/bounded-map.ts";

const MOST_EPOCHS = 50_000;
/** The lives of objects in other regions, as this isolate last heard of them: passes are made for one of them. */
const epochs = new BoundedMap<string, string>(MOST_EPOCHS);

export function knownEpoch(region: string, keeper: string): string | undefined {
  return epochs.get(`${region} ${keeper}`);
}

export function learnEpoch(region: string, keeper: string, epoch: string): void {
  epochs.set(`${region} ${keeper}`, epoch);
}
