/** The lives of objects in other regions, as this isolate last heard of them: passes are made for one of them. */
const epochs = new Map<string, string>();
const MOST_EPOCHS = 50_000;

export function knownEpoch(region: string, keeper: string): string | undefined {
  return epochs.get(`${region} ${keeper}`);
}

export function learnEpoch(region: string, keeper: string, epoch: string): void {
  const name = `${region} ${keeper}`;
  epochs.delete(name);
  epochs.set(name, epoch);
  if (epochs.size <= MOST_EPOCHS) return;
  const oldest = epochs.keys().next();
  if (oldest.done !== true) epochs.delete(oldest.value);
}
