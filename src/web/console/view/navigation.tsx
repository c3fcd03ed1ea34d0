import type { Child } from "hono/jsx";
import type { IconName } from "./icons.tsx";
import type { Section } from "./shell.tsx";

/** One line of the navigation. The pages of one subject share it, and are tabs of each other. */
interface NavigationItem {
  readonly title: string;
  readonly icon: IconName;
  readonly pages: readonly [Tab, ...Tab[]];
}

type Tab = readonly [path: string, title: string];

/** Where the navigation is folded to its icons. */
export const SIDEBAR_PATH = "/console/sidebar";

/** As many as fit without scrolling, and as one reads at a glance. */
const ENTRIES: readonly NavigationItem[] = [
  { title: "Overview", icon: "overview", pages: [["/console", "Overview"]] },
  {
    title: "Runs",
    icon: "runs",
    pages: [
      ["/console/runs", "Runs"],
      ["/console/explain", "Explain"],
    ],
  },
  { title: "Refusals", icon: "refusals", pages: [["/console/refusals", "Refusals"]] },
  {
    title: "Customers",
    icon: "customers",
    pages: [
      ["/console/customers", "Customers"],
      ["/console/customer-limits", "Customer limits"],
      ["/console/packs", "Credit packs"],
    ],
  },
  { title: "Budgets", icon: "budgets", pages: [["/console/budgets", "Budgets"]] },
  {
    title: "Caps and rates",
    icon: "limits",
    pages: [
      ["/console/limits", "Caps and plan"],
      ["/console/rate-limits", "Rate limits"],
    ],
  },
  {
    title: "Rules",
    icon: "policies",
    pages: [
      ["/console/policies", "Policies"],
      ["/console/approvals", "Approvals"],
      ["/console/safety", "Content safety"],
    ],
  },
  {
    title: "Models",
    icon: "models",
    pages: [
      ["/console/models", "Price book"],
      ["/console/routing", "Routing"],
      ["/console/fallbacks", "Fallbacks"],
      ["/console/evals", "Eval results"],
    ],
  },
  {
    title: "Keys",
    icon: "keys",
    pages: [
      ["/console/keys", "Keys"],
      ["/console/provider-keys", "Keys of providers"],
    ],
  },
  {
    title: "Alerts",
    icon: "webhooks",
    pages: [
      ["/console/webhooks", "Webhooks"],
      ["/console/events", "Events"],
      ["/console/deprecations", "Deprecations"],
    ],
  },
  {
    title: "Reports",
    icon: "benchmarks",
    pages: [
      ["/console/report", "Spend report"],
      ["/console/digests", "Digests"],
      ["/console/exports", "Exports"],
      ["/console/benchmarks", "Benchmarks"],
    ],
  },
  {
    title: "Organization",
    icon: "settings",
    pages: [
      ["/console/settings", "Settings"],
      ["/console/people", "People"],
      ["/console/sso", "Single sign-on"],
      ["/console/support", "Support access"],
      ["/console/data", "Data"],
      ["/console/audit", "Audit trail"],
    ],
  },
];

/** Every page of the navigation, by its title and that of its entry. */
export const NAVIGATED: readonly (readonly [path: string, title: string, entry: string])[] = ENTRIES.flatMap(
  ({ title: entry, pages }) => pages.map(([path, title]) => [path, title, entry] as const),
);

export const SECTIONS: readonly Section[] = [
  { title: null, pages: ENTRIES.map(({ title, icon, pages: [[path]] }) => [path, title, icon]) },
];

const entryOf = (path: string) =>
  ENTRIES.find(({ pages }) => pages.some(([href]) => href === path)) ?? ENTRIES[0];

/** The first page of the entry that a page belongs to. */
export const entryPath = (path: string): string => entryOf(path)?.pages[0][0] ?? path;

/** The pages that share an entry of the navigation, as tabs. An entry of one page has none. */
export function SubNav({ path, beside }: { path: string; beside: (path: string) => Child }) {
  const entry = entryOf(path);
  if (entry === undefined || entry.pages.length === 1) return null;
  return (
    <nav class="subnav" aria-label={entry.title}>
      {entry.pages.map(([href, title]) => (
        <a href={href} {...(href === path ? { "aria-current": "page" } : {})}>
          {title}
          {beside(href)}
        </a>
      ))}
    </nav>
  );
}
