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

/** One call with all of them. A request id makes each reservation once. */
export function asks(): object[] {
  const refused = REFUSED.flatMap(({ count, ask }) => Array.from({ length: count }, () => ask));
  return [...OPEN, ...refused].map((ask, at) => ({
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
