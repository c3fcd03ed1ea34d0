/** Calls that are refused, so that there is something to explain, and some that are allowed and still open. */

const estimate = (cost_usd: string) => ({ estimate: { cost_usd }, checks: "all" });

const REFUSED = [
  {
    count: 9,
    ask: {
      model: "claude-opus-4-1",
      workflow_id: "contract-review",
      customer_id: "globex",
      ...estimate("1.60"),
    },
  },
  {
    count: 6,
    ask: { model: "gpt-4o", workflow_id: "lead-scoring", customer_id: "initech", ...estimate("0.35") },
  },
  { count: 3, ask: { model: "claude-sonnet-4-5", workflow_id: "usage-insights", ...estimate("400.00") } },
  {
    count: 2,
    ask: { model: "gpt-4o", workflow_id: "usage-insights", customer_id: "umbrella", ...estimate("2.50") },
  },
  {
    count: 4,
    ask: { model: "deepseek-chat", workflow_id: "ticket-triage", customer_id: "wonka", ...estimate("0.02") },
  },
  {
    count: 2,
    ask: {
      model: "gpt-4o-mini",
      workflow_id: "ticket-triage",
      customer_id: "tyrell",
      ...estimate("0.01"),
      input: "Please refund card 4111 1111 1111 1111.",
    },
  },
];

const OPEN = [
  { model: "claude-sonnet-4-5", workflow_id: "answer-drafts", customer_id: "wonka", ...estimate("0.12") },
  { model: "gpt-4o", workflow_id: "lead-scoring", customer_id: "acme-air", ...estimate("0.08") },
  { model: "claude-sonnet-4-5", workflow_id: "usage-insights", customer_id: "tyrell", ...estimate("0.45") },
];

/** What a chain of an agent's calls may cost, and how deep it may go. */
export const CHAIN_BUDGET = { max_cost_usd: "2.00", max_depth: 8 };

const AGENT = { chain_id: "research-agent-4711", workflow_id: "usage-insights", customer_id: "hooli" };

/** An agent that called itself again and again: each run is a child of the one before, until the chain's budget is used up. */
export function agentRuns(nowMs: number): object[] {
  return Array.from({ length: CHAIN_RUNS }, (_, at) => ({
    id: `nw-agent-${at}`,
    started_at: new Date(nowMs - (CHAIN_RUNS - at) * 20_000).toISOString(),
    model: "claude-sonnet-4-5",
    provider: "anthropic",
    workflow_id: AGENT.workflow_id,
    department_id: "research",
    customer_id: AGENT.customer_id,
    user_id: "sam.rivera",
    usage: { input_tokens: 70_000 + 9_000 * at, output_tokens: 3_000 },
    chain: chainAt(at),
    incurred: true,
  }));
}

const CHAIN_RUNS = 6;

const chainAt = (at: number) => ({
  chain_id: AGENT.chain_id,
  ...(at === 0 ? {} : { parent_run_id: `nw-agent-${at - 1}` }),
});

/** One call with all of them. A request id makes each reservation once. */
export function asks(): object[] {
  const refused = REFUSED.flatMap(({ count, ask }) => Array.from({ length: count }, () => ask));
  const { chain_id: _, ...who } = AGENT;
  const stopped = { model: "claude-sonnet-4-5", ...who, chain: chainAt(CHAIN_RUNS), ...estimate("0.60") };
  return [...OPEN, ...refused, stopped].map((ask, at) => ({
    ...ask,
    request_id: `nw-ask-${at}`,
    hold_seconds: 86_400,
  }));
}

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

/** Runs that wait for an approval, had one, or were denied it. */
export const TO_APPROVE = [
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
  {
    workflow_id: "usage-insights",
    customer_id: "tyrell",
    user_id: "dana.novak",
    cost_usd: "2.20",
    verdict: "approve",
  },
  {
    workflow_id: "lead-scoring",
    customer_id: "acme-air",
    user_id: "omar.haddad",
    cost_usd: "9.75",
    verdict: "deny",
  },
] as const;
