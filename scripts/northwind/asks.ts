import { Chance } from "./chance.ts";
import { CUSTOMERS, type KeyName } from "./company.ts";
import { SMALL_LIMIT } from "./limits.ts";
import { UNUSUAL } from "./runs.ts";

const repeated = (count: number, one: object): object[] => Array.from({ length: count }, () => one);

const SEED = 7;

const estimate = (cost_usd: string) => ({ estimate: { cost_usd }, checks: "all" });

/** What a chain of an agent's calls may cost, and how deep it may go. */
export const CHAIN_BUDGET = { max_cost_usd: "2.00", max_depth: 8 };

const AGENT = { workflow_id: "usage-insights", customer_id: "hooli" };
const CHAIN_RUNS = 6;

/** An agent that called itself again and again: each run is a child of the one before, until the chain's budget is used up. */
export function agentRuns(atMs: number): object[] {
  return Array.from({ length: CHAIN_RUNS }, (_, at) => ({
    id: runOfAgent(atMs, at),
    started_at: new Date(atMs - (CHAIN_RUNS - at) * 20_000).toISOString(),
    model: "claude-sonnet-4-5",
    provider: "anthropic",
    ...AGENT,
    department_id: "research",
    user_id: "sam.rivera",
    usage: { input_tokens: 70_000 + 9_000 * at, output_tokens: 3_000 },
    chain: chainAt(atMs, at),
    incurred: true,
  }));
}

/** The call that the chain's budget stops. */
export function stoppedAgent(atMs: number): Asks {
  const ask = { model: "claude-sonnet-4-5", ...AGENT, chain: chainAt(atMs, CHAIN_RUNS), ...estimate("0.60") };
  return { name: "agent", key: "Data platform", asks: [ask] };
}

const chainOfAgent = (atMs: number) => `research-agent-${Math.floor(atMs / 1000) % 10_000}`;
const runOfAgent = (atMs: number, at: number) => `nw-${chainOfAgent(atMs)}-${at}`;

const chainAt = (atMs: number, at: number) => ({
  chain_id: chainOfAgent(atMs),
  ...(at === 0 ? {} : { parent_run_id: runOfAgent(atMs, at - 1) }),
});

type Everyday = { readonly key: KeyName; readonly ask: (customer_id: string) => object };

/** Calls that a rule or a limit refuses at any time, and the service that makes them. */
const EVERYDAY: readonly [Everyday, ...Everyday[]] = [
  {
    key: "Support bot",
    ask: (customer_id) => ({
      model: "deepseek-chat",
      workflow_id: "ticket-triage",
      customer_id,
      ...estimate("0.02"),
    }),
  },
  {
    key: "Support bot",
    ask: (customer_id) => ({
      model: "gpt-4o-mini",
      workflow_id: "ticket-triage",
      customer_id,
      ...estimate("0.01"),
      input: "Please refund card 4111 1111 1111 1111.",
    }),
  },
  {
    key: "Data platform",
    ask: () => ({ model: "claude-sonnet-4-5", workflow_id: "usage-insights", ...estimate("400.00") }),
  },
  {
    key: "Sales assistant",
    ask: () => ({
      model: "claude-opus-4-1",
      workflow_id: "contract-review",
      customer_id: SMALL_LIMIT.customer_id,
      ...estimate("45.00"),
    }),
  },
];

export interface Asks {
  /** Distinguishes calls of the same moment. */
  readonly name: string;
  readonly key: KeyName;
  readonly asks: readonly object[];
}

/** What is refused at one of the moments at which something is, by their order. */
export function refusedAt(nth: number): Asks {
  const chance = new Chance(SEED + nth);
  const { key, ask } = EVERYDAY[nth % EVERYDAY.length] ?? EVERYDAY[0];
  const customer = chance.byShare(CUSTOMERS).id;
  return { name: "everyday", key, asks: repeated(1 + Math.floor(chance.next() * 5), ask(customer)) };
}

const contractReview = (cost_usd: string) => ({
  model: "claude-opus-4-1",
  workflow_id: "contract-review",
  customer_id: UNUSUAL.customer,
  ...estimate(cost_usd),
});

/** The largest customer asks for more than was agreed. */
export const OVER_AGREED: Asks = {
  name: "agreed",
  key: "Sales assistant",
  asks: repeated(7, contractReview("9.80")),
};

/** The budget of contract reviews is used up. */
export const OVER_BUDGET: Asks = {
  name: "budget",
  key: "Sales assistant",
  asks: repeated(9, contractReview("1.60")),
};

/** What was agreed with the second customer is used up, too. */
export const OVER_SECOND: Asks = {
  name: "second",
  key: "Sales assistant",
  asks: repeated(6, {
    model: "gpt-4o",
    workflow_id: "lead-scoring",
    customer_id: "initech",
    ...estimate("0.35"),
  }),
};

/** One customer has no credits left for such a call. The other calls are allowed, and still open. */
export const LAST: readonly Asks[] = [
  {
    name: "support",
    key: "Support bot",
    asks: [
      { model: "claude-sonnet-4-5", workflow_id: "answer-drafts", customer_id: "wonka", ...estimate("0.12") },
      { model: "gpt-4o-mini", workflow_id: "ticket-triage", customer_id: "acme-air", ...estimate("0.08") },
    ],
  },
  {
    name: "data",
    key: "Data platform",
    asks: [
      {
        model: "claude-sonnet-4-5",
        workflow_id: "usage-insights",
        customer_id: "tyrell",
        ...estimate("0.45"),
      },
      ...repeated(2, {
        model: "gpt-4o",
        workflow_id: "usage-insights",
        customer_id: "umbrella",
        ...estimate("2.50"),
      }),
    ],
  },
];

export const RULES = [
  {
    target: "model",
    effect: "require_approval",
    when: 'model == "o3-pro"',
    reason: "o3-pro costs ten times as much as the others. Ask the platform team.",
    priority: 20,
    mode: "enforce",
  },
  {
    target: "model",
    effect: "deny",
    when: 'model.startsWith("deepseek")',
    reason: "This provider is not approved for customer data.",
    priority: 10,
    mode: "enforce",
  },
  {
    target: "action",
    effect: "deny",
    when: 'action == "send_email"',
    reason: "Assistants draft mails. People send them.",
    priority: 5,
    mode: "shadow",
  },
];

/** Runs that need an approval, in the order in which they ask for it. Null: nobody has decided yet. */
export const TO_APPROVE = [
  {
    workflow_id: "lead-scoring",
    customer_id: "acme-air",
    user_id: "omar.haddad",
    cost_usd: "5.75",
    verdict: "deny",
  },
  {
    workflow_id: "usage-insights",
    customer_id: "tyrell",
    user_id: "dana.novak",
    cost_usd: "2.20",
    verdict: "approve",
  },
  {
    workflow_id: "contract-review",
    customer_id: "globex",
    user_id: "lena.berg",
    cost_usd: "6.40",
    verdict: null,
  },
  {
    workflow_id: "usage-insights",
    customer_id: "hooli",
    user_id: "sam.rivera",
    cost_usd: "3.10",
    verdict: null,
  },
] as const;
