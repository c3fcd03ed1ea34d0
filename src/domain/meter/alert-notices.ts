import { type Account, totalSpent } from "./meter.ts";

const WHOLE = 1_000_000_000n;

/**
 * The announcements that were made about a meter in one window, as words separated by spaces. They are stored with the
 * usage, so a new window starts empty and each announcement is made once per window.
 */
export type Notices = string;

export function wasAnnounced(notices: Notices, word: string): boolean {
  return notices !== "" && ` ${notices} `.includes(` ${word} `);
}

export function addNotice(notices: Notices, word: string): Notices {
  return notices === "" ? word : `${notices} ${word}`;
}

/** Thresholds that spending has reached and that were not announced yet. Duplicates count once. */
export function thresholdsToAnnounce(account: Account, notices: Notices): bigint[] {
  const { thresholds, limit } = account.meter;
  if (thresholds === undefined || limit === null || limit === 0n) return [];
  const spent = totalSpent(account.usage) * WHOLE;
  const reached = thresholds.filter((share) => spent >= share * limit);
  return [...new Set(reached)].filter((share) => !wasAnnounced(notices, thresholdWord(share)));
}

export function thresholdWord(share: bigint): string {
  return `at:${share}`;
}
