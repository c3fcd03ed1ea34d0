import { makeBundle } from "../bundle.ts";

/** Every page of the console, as an address. What a page offers to choose is a page of its own. */

export interface MeasuredPage {
  readonly name: string;
  /** Finds the address from the links of the pages before it. Null: nothing of that kind is there. */
  addressIn(links: readonly string[]): string | null;
}

type Listed = readonly (readonly [method: string, path: string, handler: unknown])[];

const DIMENSIONS = [
  "customer_id",
  "department_id",
  "workflow_id",
  "model",
  "user_id",
  "key_id",
  "provider",
  "outcome",
  "tag&tag=team",
];
const RANGES = ["today", "7d", "month"];
const dateAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
const TWO_MONTHS = `range=custom&from=${dateAgo(60)}&to=${dateAgo(0)}`;
const ranged = RANGES.map((range) => `range=${range}`);
const grouped = DIMENSIONS.map((by) => `by=${by}`);

/** What is chosen on a page, by its route. */
const CHOICES: Readonly<Record<string, readonly string[]>> = {
  "/console": [
    ...ranged,
    TWO_MONTHS,
    ...grouped,
    ...grouped.map((by) => `${by}&list=changed`),
    "list=unusual",
    "unit=tokens",
    "unit=runs",
    "by=user_id&unit=tokens",
  ],
  "/console/report": [...ranged, TWO_MONTHS, ...grouped, "unit=tokens"],
  "/console/customers": [
    ...["spend", "change", "margin"].flatMap((by) => [`by=${by}`, `by=${by}&${TWO_MONTHS}`]),
    "by=spend&contains=77",
  ],
  "/console/customers/:customer_id": [...ranged, TWO_MONTHS],
  "/console/budgets": ["sort.Budgets=-Spent"],
  "/console/runs": [
    ...ranged,
    "range=30d",
    "customer_id=cus_77",
    "user_id=user_77",
    "model=acme/m3",
    "workflow_id=wf_3&customer_id=cus_77",
    "tag=team:team_7",
    "without=key_id",
    "sort=-cost_usd",
  ],
  "/console/refusals": ["code=budget_exceeded", "customer_id=cus_77"],
  "/console/search": ["q=cus_77", "q=Customer", "q=user_7", "q=run-77", "q=nothing"],
  "/console/explain": ["workflow_id=wf_3&estimate.cost_usd=999&checks=all"],
  "/console/audit": ["verify=yes"],
};

const OPERATOR_CHOICES: Readonly<Record<string, readonly string[]>> = {
  "/operator": ["sort=name", "q=bench"],
};

/** The pages of the console and of the operator's, from their routes: a new page is measured with the others. */
export async function consolePages(): Promise<{
  readonly console: readonly MeasuredPage[];
  readonly operator: readonly MeasuredPage[];
}> {
  const [{ PAGES }, { OPERATOR_PAGES }] = await Promise.all([
    routesIn<{ PAGES: Listed }>("src/web/console/pages/routes.ts"),
    routesIn<{ OPERATOR_PAGES: Listed }>("src/web/operator/routes.ts"),
  ]);
  return { console: measured(PAGES, CHOICES), operator: measured(OPERATOR_PAGES, OPERATOR_CHOICES) };
}

/** A list comes before its items. */
const depthOf = (route: string): number => route.split("/:").length;

function measured(pages: Listed, choices: Readonly<Record<string, readonly string[]>>): MeasuredPage[] {
  const routes = pages.filter(([method]) => method === "GET").map(([, path]) => path);
  const unknown = Object.keys(choices).filter((route) => !routes.includes(route));
  if (unknown.length > 0) throw new Error(`no page has the route ${unknown.join(", ")}`);
  return routes
    .toSorted((one, other) => depthOf(one) - depthOf(other))
    .flatMap((route) =>
      ["", ...(choices[route] ?? [])].map((query) => {
        const more = query === "" ? "" : `?${query}`;
        return {
          name: `${route}${more}`,
          addressIn(links: readonly string[]) {
            const path = concrete(route, links);
            return path === null ? null : `${path}${more}`;
          },
        };
      }),
    );
}

/** Where items are made, not an item. */
const FORM = /\/(?:new|import)$/;

/** The page of an item is that of the first item that a page before it links to. */
function concrete(route: string, links: readonly string[]): string | null {
  const [start = "", ...rest] = route.split(/\/:\w+/);
  return rest.reduce<string | null>((path, after) => {
    const link = path === null ? undefined : links.find((to) => to.startsWith(`${path}/`) && !FORM.test(to));
    return link === undefined ? null : `${link}${after}`;
  }, start);
}

/** Routes are written beside pages, which Node cannot read as they are. */
async function routesIn<T>(file: string): Promise<T> {
  const { text } = await makeBundle(file);
  return (await import(`data:text/javascript;base64,${Buffer.from(text).toString("base64")}`)) as T;
}
