/** Why an object answers no call, for its callers. */
export const STORED_BEFORE =
  "This was stored by a version from before the first release, which this version does not read. Start with empty storage (npm run reset).";
