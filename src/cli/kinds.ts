import type { SettingKind, Resource } from "./kind.ts";
import { type Fields, isFields, type Value } from "./yaml-file.ts";

/** As many as a page can have. */
const PAGE = { limit: 200 };

const THRESHOLDS = { alert_thresholds: { default: [] } } as const;

/** Money of a policy or a budget is in `limit` too, as text. */
function withLimit({ limit_usd: usd, limit, ...rest }: Resource): Resource {
  return { ...rest, limit: rest["unit"] === "usd" ? (usd ?? limit) : limit };
}

/** Dollars are text, in whichever of the two fields they are. */
function withAmount({ limit_usd: usd, ...fields }: Fields): Fields {
  const { unit = "usd", limit } = fields;
  const amount = usd ?? limit;
  if (amount === undefined) return fields;
  return { ...fields, limit: unit === "usd" && typeof amount === "number" ? String(amount) : amount };
}

const spendCap: SettingKind = {
  section: "spend_cap",
  form: "single",
  fields: { cap_usd: {}, timezone: { default: "UTC" }, ...THRESHOLDS },
  read: (sluice) => sluice.spendCap.get(),
  get: (sluice, _, options) => sluice.spendCap.get(options),
  set: (sluice, _, body, options) => sluice.spendCap.set(body, options),
  remove: (sluice, _, options) => sluice.spendCap.delete(options),
};

const chainBudget: SettingKind = {
  section: "chain_budget",
  form: "single",
  fields: { max_cost_usd: { default: null }, max_depth: { default: null }, max_tokens: { default: null } },
  read: (sluice) => sluice.chainBudget.get(),
  get: (sluice, _, options) => sluice.chainBudget.get(options),
  set: (sluice, _, body, options) => sluice.chainBudget.set(body, options),
  remove: (sluice, _, options) => sluice.chainBudget.delete(options),
};

const budgets: SettingKind = {
  section: "budgets",
  form: "listed",
  key: ["name"],
  fields: {
    name: {},
    scope_kind: { isFixed: true, default: null },
    scope_id: { isFixed: true, default: null },
    match: { isFixed: true, default: null },
    group_by: { isFixed: true, default: [] },
    unit: { isFixed: true, default: "usd" },
    limit: { alias: "limit_usd" },
    period: {},
    timezone: { default: "UTC" },
    anchor_day: { default: null },
    mode: { default: "enforce" },
    count_from: { default: "creation" },
    ...THRESHOLDS,
  },
  toFields: ({ scope_kind: kind, ...rest }) =>
    withLimit({ ...rest, scope_kind: kind === "match" ? null : kind }),
  complete: withAmount,
  list: (sluice) => sluice.budgets.list(PAGE),
  get: (sluice, id, options) => sluice.budgets.get(id, options),
  create: (sluice, body, options) => sluice.budgets.create(body, options),
  change: (sluice, id, body, options) => sluice.budgets.change(id, body, options),
  remove: (sluice, id, options) => sluice.budgets.delete(id, options),
};

const customerLimits: SettingKind = {
  section: "customer_limits",
  form: "listed",
  key: ["customer_id", "period"],
  fields: { customer_id: { isFixed: true }, period: {}, limit_usd: {}, ...THRESHOLDS },
  list: (sluice) => sluice.customerLimits.list(PAGE),
  get: (sluice, id, options) => sluice.customerLimits.get(id, options),
  create: (sluice, body, options) => sluice.customerLimits.create(body, options),
  change: (sluice, id, body, options) => sluice.customerLimits.change(id, body, options),
  remove: (sluice, id, options) => sluice.customerLimits.delete(id, options),
};

const policyRules: SettingKind = {
  section: "policy_rules",
  form: "listed",
  key: ["reason"],
  fields: {
    reason: {},
    target: {},
    effect: {},
    when: {},
    priority: { default: 0 },
    mode: { default: "enforce" },
  },
  list: (sluice) => sluice.policyRules.list(PAGE),
  get: (sluice, id, options) => sluice.policyRules.get(id, options),
  create: (sluice, body, options) => sluice.policyRules.create(body, options),
  change: (sluice, id, body, options) => sluice.policyRules.change(id, body, options),
  remove: (sluice, id, options) => sluice.policyRules.delete(id, options),
};

const contentSafety: SettingKind = {
  section: "content_safety",
  form: "single",
  fields: { detectors: {} },
  read: (sluice) => sluice.contentSafety.get(),
  get: (sluice, _, options) => sluice.contentSafety.get(options),
  set: (sluice, _, body, options) => sluice.contentSafety.set(body, options),
};

const routingPolicy: SettingKind = {
  section: "routing_policy",
  form: "single",
  fields: { candidates: {}, eval_gate: {}, prefer: {}, fallback_model: { default: null } },
  read: (sluice) => sluice.routing.getPolicy(),
  get: (sluice, _, options) => sluice.routing.getPolicy(options),
  set: (sluice, _, body, options) => sluice.routing.setPolicy(body, options),
};

const retentionPolicy: SettingKind = {
  section: "retention_policy",
  form: "single",
  fields: { runs_days: {}, audit_days: {}, deliveries_days: {}, legal_hold: {} },
  read: (sluice) => sluice.retentionPolicy.get(),
  get: (sluice, _, options) => sluice.retentionPolicy.get(options),
  set: (sluice, _, body, options) => sluice.retentionPolicy.set(body, options),
};

const RATES = ["cache_read", "cache_write", "cache_write_1h", "reasoning"] as const;
const MEDIA_RATES = ["audio_input", "audio_output", "image_input", "image_output"] as const;
const classRates = Object.fromEntries(
  [...RATES, ...MEDIA_RATES].map((name) => [`${name}_usd_per_mtok`, { default: null }]),
);

const models: SettingKind = {
  section: "models",
  form: "named",
  nameField: "model",
  fields: {
    provider: { default: null },
    input_usd_per_mtok: {},
    output_usd_per_mtok: {},
    ...classRates,
    units: { default: {} },
    tiers: { default: [] },
    variants: { default: {} },
    context_window: { default: null },
    max_output_tokens: { default: null },
    regions: { default: null },
  },
  complete: (fields) => ({ ...fields, tiers: completeTiers(fields) }),
  list: (sluice) => sluice.models.list(PAGE),
  get: (sluice, name, options) => sluice.models.get(name, options),
  set: (sluice, name, body, options) => sluice.models.set(name, body, options),
  remove: (sluice, name, options) => sluice.models.delete(name, options),
};

/** A tier has the model's own rates where it says none. */
function completeTiers({
  tiers = [],
  input_usd_per_mtok: input,
  output_usd_per_mtok: output,
}: Fields): Value {
  if (!Array.isArray(tiers)) return tiers;
  const rates = { input_usd_per_mtok: input ?? null, output_usd_per_mtok: output ?? null };
  return (tiers as readonly Fields[]).map((tier) => ({ ...rates, ...tier }));
}

const webhooks: SettingKind = {
  section: "webhooks",
  form: "listed",
  key: ["url"],
  fields: {
    url: {},
    events: {},
    description: { default: null },
    status: { default: "enabled", isSetLater: true },
  },
  isDeclared: ({ format }) => format === "sluice",
  list: (sluice) => sluice.webhooks.list(PAGE),
  get: (sluice, id, options) => sluice.webhooks.get(id, options),
  create: (sluice, body, options) => sluice.webhooks.create(body, options),
  change: (sluice, id, body, options) => sluice.webhooks.change(id, body, options),
  remove: (sluice, id, options) => sluice.webhooks.delete(id, options),
};

const providerKeys: SettingKind = {
  section: "provider_keys",
  form: "named",
  nameField: "provider",
  fields: {
    secret: { shownAs: "last4" },
    base_url: { default: null },
    headers: { default: {}, shownAs: "header_names" },
    models: { default: null },
  },
  list: (sluice) => sluice.providerKeys.list(PAGE),
  get: (sluice, name, options) => sluice.providerKeys.get(name, options),
  set: (sluice, name, body, options) => sluice.providerKeys.put(name, body, options),
  remove: (sluice, name, options) => sluice.providerKeys.delete(name, options),
};

const fallbacks: SettingKind = {
  section: "fallbacks",
  form: "named",
  nameField: "name",
  fields: { match: {}, then: {}, on: {}, budget_share: { default: null } },
  complete: ({ then = [], ...rest }) => ({
    ...rest,
    then: Array.isArray(then)
      ? (then as readonly Value[]).map((next) => (isFields(next) ? { provider: null, ...next } : next))
      : then,
  }),
  list: (sluice) => sluice.fallbacks.list(PAGE),
  get: (sluice, name, options) => sluice.fallbacks.get(name, options),
  set: (sluice, name, body, options) => sluice.fallbacks.put(name, body, options),
  remove: (sluice, name, options) => sluice.fallbacks.delete(name, options),
};

const digests: SettingKind = {
  section: "digests",
  form: "named",
  nameField: "name",
  fields: { every: {}, at: {}, timezone: { default: "UTC" }, to: { default: [] } },
  list: (sluice) => sluice.digests.list(PAGE),
  get: (sluice, name, options) => sluice.digests.get(name, options),
  set: (sluice, name, body, options) => sluice.digests.put(name, body, options),
  remove: (sluice, name, options) => sluice.digests.delete(name, options),
};

const rateLimits: SettingKind = {
  section: "rate_limits",
  form: "single",
  fields: { read_rpm: { default: null }, policies: { default: [] } },
  toFields: ({ read_rpm, policies }) => ({
    read_rpm,
    policies: (policies as readonly Resource[]).map((policy) => {
      const { name, match, unit, limit, limit_usd, window_seconds, kind } = policy;
      return withLimit({ name, match, unit, limit, limit_usd, window_seconds, kind });
    }),
  }),
  complete: ({ policies = [], ...rest }) => ({
    ...rest,
    policies: Array.isArray(policies)
      ? (policies as readonly Value[]).map((policy) => (isFields(policy) ? withAmount(policy) : policy))
      : policies,
  }),
  toBody: (fields) => ({ read_rpm: null, policies: [], ...fields }),
  changedBy: "the operator",
  place: async (sluice) => (await sluice.orgs.get()).id,
  read: (sluice) => sluice.rateLimits.getOwn(),
  get: (sluice, org, options) => sluice.rateLimits.get(org, options),
  set: (sluice, org, body, options) => sluice.rateLimits.set(org, body, options),
};

/**
 * All that a file of settings can declare, in the order in which it is exported and applied. A new kind of setting is
 * one more row.
 */
export const KINDS: readonly SettingKind[] = [
  spendCap,
  chainBudget,
  budgets,
  customerLimits,
  rateLimits,
  policyRules,
  contentSafety,
  routingPolicy,
  retentionPolicy,
  models,
  fallbacks,
  providerKeys,
  webhooks,
  digests,
];
