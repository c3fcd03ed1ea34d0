/** The reference in the order in which people need it: decisions first, what operators do last. */

interface Section {
  readonly title: string;
  readonly tags: Readonly<Record<string, readonly [title: string, says: string]>>;
}

export const SECTIONS: readonly Section[] = [
  {
    title: "Decide and record",
    tags: {
      edge: ["Decisions", "May this call spend? Ask before each run; the estimate is reserved."],
      runs: ["Runs", "Report what was spent, read it, correct it and export it."],
      routing: ["Routing", "Choose a model by price and evaluation."],
      explain: ["Explain", "What was checked, in order, and why a call was refused."],
      refusals: ["Refusals", "What was refused, and by which limit or rule."],
    },
  },
  {
    title: "Limits",
    tags: {
      limits: ["All limits", "Every kind of limit, the one that runs out next first."],
      budgets: ["Budgets", "Dollars, tokens or runs per period, for any part of your calls."],
      "spend-cap": ["Spend cap", "The most that the organization spends in a day."],
      "customer-limits": ["Customer limits", "What each of your customers may spend."],
      "credit-packs": ["Credit packs", "Prepaid credits of your customers."],
      quota: ["Prepaid quota", "The organization's own prepaid balance."],
      plan: ["Plan", "Runs and tokens of the organization's plan."],
      "chain-budget": ["Chain budget", "Bounds of every chain of runs."],
      "rate-limits": ["Rate limits", "Requests and tokens per window."],
    },
  },
  {
    title: "Usage and cost",
    tags: {
      usage: ["Usage", "Exact sums by time, customer, workflow, model and more."],
      digests: ["Digests", "Summaries of a day, a week or a month, sent to people."],
      "unusual-spend": ["Unusual spend", "How sensitive announcements of unusual spend are."],
      customers: ["Customers", "Where each customer stands, and tokens for them."],
      customer: ["For your customers", "What a customer's own token reads."],
      models: ["Prices", "What models cost your organization."],
      prices: ["Price of a call", "Which price applies to a provider and model, and why."],
      capacity: ["Forecasts", "When budgets run out."],
      forecast: ["Forecast (deprecated)", "Use forecasts instead."],
      exports: ["Scheduled exports", "Files of what was recorded, or spans, written by themselves."],
      metrics: ["Metrics", "Your limits as gauges, for Prometheus."],
      benchmarks: ["Benchmarks", "How you compare with others like you."],
      "benchmark-profile": ["Benchmark profile", "Whether your figures count in benchmarks."],
    },
  },
  {
    title: "Rules",
    tags: {
      "policy-rules": ["Policy rules", "Which models and actions are allowed, denied or need approval."],
      approvals: ["Approvals", "Attempts that wait for a person."],
      "content-safety": ["Content safety", "Detectors that scan inputs."],
      "routing-policy": ["Routing policy", "Which models may be chosen."],
      fallbacks: ["Fallbacks", "Which model is tried next, and when."],
      evals: ["Evaluations", "How models scored."],
    },
  },
  {
    title: "Organization",
    tags: {
      keys: ["Keys", "Who may call, with which role and scopes."],
      "provider-keys": ["Keys of providers", "With which the proxy makes your calls."],
      webhooks: ["Webhooks", "Events, delivered to you and signed."],
      events: ["Events", "What happened, to be read at any time."],
      "audit-log": ["Audit log", "Who changed what, in a chain that can be verified."],
      "retention-policy": ["Retention", "How long data is kept."],
      residency: ["Residency", "Where the organization may be served."],
      sso: ["Single sign-on", "OIDC and SAML."],
      sessions: ["Sessions", "Who is signed in to the console."],
      "console-links": ["Console links", "Sign in to the console once."],
      console: ["Own session", "The session of a cookie."],
      "support-grants": ["Support grants", "Let the platform's support look, for a while."],
      "support-presence": ["Support presence", "Whether support is looking now."],
      "deprecated-calls": ["Deprecated calls", "Which of your keys call deprecated routes."],
    },
  },
  {
    title: "Platform operators",
    tags: {
      orgs: ["Organizations", "Create, change, suspend, move, back up and restore organizations."],
      overview: ["Overview", "All organizations at a glance."],
      plans: ["Plans", "What plans include."],
      "price-book": ["Price book", "The platform's own prices."],
      deprecations: ["Deprecations", "Flag routes that will go away."],
      pepper: ["Pepper", "How far keys have moved to the current pepper."],
      "support-sessions": ["Support sessions", "Enter an organization under its grant."],
    },
  },
  {
    title: "About this API",
    tags: {
      meta: ["Errors and deprecations", "Every code, and every deprecated route."],
      "openapi.json": ["OpenAPI", "This reference as a document."],
    },
  },
];

const ORDER = SECTIONS.flatMap(({ tags }) => Object.keys(tags));

function place(tag: string): number {
  return ORDER.includes(tag) ? ORDER.indexOf(tag) : ORDER.length;
}

/** Tags in the order of the sections. One that no section has comes last. */
export function sortTags(tags: readonly string[]): string[] {
  return [...new Set(tags)].toSorted((one, other) => place(one) - place(other) || one.localeCompare(other));
}

export function describeTag(name: string): { name: string; description: string; "x-displayName": string } {
  const [title, says] = SECTIONS.flatMap(({ tags }) => tags[name] ?? []) as [string?, string?];
  return { name, description: says ?? `Operations on ${name}.`, "x-displayName": title ?? name };
}

/** The groups of the sidebar. */
export function tagGroups(tags: readonly string[]): { name: string; tags: string[] }[] {
  const groups = SECTIONS.map(({ title, tags: own }) => ({
    name: title,
    tags: Object.keys(own).filter((tag) => tags.includes(tag)),
  }));
  const others = tags.filter((tag) => !ORDER.includes(tag));
  return others.length === 0 ? groups : [...groups, { name: "More", tags: others }];
}
