/** The object of the platform itself. It stores, audits and replays what operators do outside any org. */
export const PLATFORM_ORG_ID = "org_00000000000000000000000000";
