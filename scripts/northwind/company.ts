/** Who and what Northwind is: an imaginary company that sells an assistant to a handful of customers. */

export const KEYS = ["Support bot", "Sales assistant", "Data platform"] as const;
export type KeyName = (typeof KEYS)[number];

interface Workflow {
  readonly id: string;
  readonly department: string;
  readonly key: KeyName;
  /** How much of all runs are its own. */
  readonly share: number;
  readonly models: readonly string[];
  /** Typical tokens of one run. */
  readonly input: number;
  readonly output: number;
  readonly users: readonly string[];
  readonly feature: string;
  /** How much of its input is read from a cache. */
  readonly cached?: number;
  /** Its calls are made in batches, over night. */
  readonly isBatch?: true;
}

const AGENTS = ["maya.chen", "tom.okafor", "ines.costa", "raj.patel"];
const SELLERS = ["lena.berg", "omar.haddad"];
const ANALYSTS = ["yuki.tanaka", "sam.rivera", "dana.novak"];

export const WORKFLOWS: readonly Workflow[] = [
  {
    id: "ticket-triage",
    department: "support",
    key: "Support bot",
    share: 34,
    models: ["gpt-4o-mini", "gpt-4o-mini", "claude-sonnet-4-5"],
    input: 9_000,
    output: 700,
    users: AGENTS,
    feature: "triage",
  },
  {
    id: "answer-drafts",
    department: "support",
    key: "Support bot",
    share: 22,
    models: ["claude-sonnet-4-5", "gpt-4o"],
    input: 38_000,
    output: 2_600,
    users: AGENTS,
    feature: "drafts",
    cached: 0.6,
  },
  {
    id: "lead-scoring",
    department: "sales",
    key: "Sales assistant",
    share: 16,
    models: ["gpt-4o-mini", "gpt-4o"],
    input: 16_000,
    output: 900,
    users: SELLERS,
    feature: "scoring",
  },
  {
    id: "contract-review",
    department: "sales",
    key: "Sales assistant",
    share: 7,
    models: ["claude-opus-4-1"],
    input: 62_000,
    output: 4_800,
    users: SELLERS,
    feature: "contracts",
  },
  {
    id: "usage-insights",
    department: "research",
    key: "Data platform",
    share: 13,
    models: ["claude-sonnet-4-5", "gpt-4o"],
    input: 54_000,
    output: 5_200,
    users: ANALYSTS,
    feature: "insights",
  },
  {
    id: "nightly-eval",
    department: "research",
    key: "Data platform",
    share: 8,
    models: ["claude-opus-4-1", "claude-sonnet-4-5", "gpt-4o"],
    input: 24_000,
    output: 3_000,
    users: ANALYSTS,
    feature: "evals",
    isBatch: true,
  },
];

/** What a token from a cache, and one in a batch, costs of the base rate. */
export const CACHE_READ = 0.1;
export const BATCH = 0.5;

/** The largest come first. The last are small. What each pays for a month is fixed, or what it costs and a part on top. */
export const CUSTOMERS = [
  { id: "globex", share: 30, tier: "enterprise", name: "Globex", revenue: { usd_per_month: "190.00" } },
  { id: "initech", share: 21, tier: "enterprise", name: "Initech", revenue: { markup: "0.4" } },
  { id: "umbrella", share: 16, tier: "team", name: "Umbrella", revenue: { usd_per_month: "120.00" } },
  { id: "hooli", share: 13, tier: "team", name: "Hooli", revenue: { usd_per_month: "90.00" } },
  { id: "wonka", share: 9, tier: "team", name: "Wonka", revenue: { markup: "0.25" } },
  { id: "acme-air", share: 7, tier: "starter", name: "Acme Air", revenue: { usd_per_month: "5.00" } },
  { id: "tyrell", share: 4, tier: "starter", name: "Tyrell", revenue: { usd_per_month: "25.00" } },
] as const;

/** Dollars for a million tokens, and who makes the model. */
export const MODELS: Readonly<Record<string, { provider: string; input: number; output: number }>> = {
  "gpt-4o-mini": { provider: "openai", input: 0.15, output: 0.6 },
  "gpt-4o": { provider: "openai", input: 2.5, output: 10 },
  "claude-sonnet-4-5": { provider: "anthropic", input: 3, output: 15 },
  "claude-opus-4-1": { provider: "anthropic", input: 15, output: 75 },
};
