import { Meter } from "../view/charts.tsx";
import { count, moment, percent, share, usd } from "../view/format.ts";
import { ActionButton, type Draft, Form, SelectField, TextField } from "../view/form.tsx";
import { Card, Empty, Facts, Status, Table } from "../view/parts.tsx";
import type { Visit } from "../visit.ts";
import type { CustomerLimit, Plan, Quota, SpendCap } from "./limits-at-a-glance.ts";

const UNDER = "/console/limits";

export interface Pack {
  readonly id: string;
  readonly customer_id: string;
  readonly amount_usd: string;
  readonly remaining_usd: string;
  readonly status: string;
  readonly expires_at: string | null;
}

export interface ChainBudget {
  readonly max_cost_usd?: string | null;
  readonly max_depth?: number | null;
  readonly max_tokens?: number | null;
}

export function CapCard({ visit, cap, draft }: { visit: Visit; cap: SpendCap | null; draft: Draft }) {
  const values = { cap_usd: cap?.cap_usd ?? "", timezone: cap?.timezone ?? "", ...draft.values };
  return (
    <Card title="Daily spend cap" note={cap ? `Resets ${moment(cap.resets_at)}` : "Not set"}>
      <div class="stack">
        {cap && (
          <div>
            <Meter
              spent={share(cap.spent_usd, cap.cap_usd)}
              held={Number(cap.cap_usd) > 0 ? share(cap.reserved_usd, cap.cap_usd) : 0}
              label="Daily spend cap"
            />
            <p class="quiet small number">
              {usd(cap.spent_usd)} spent and {usd(cap.reserved_usd)} held of {usd(cap.cap_usd)}
            </p>
          </div>
        )}
        <Form action={`${UNDER}/spend-cap`} csrf={visit.visitor.csrf} once={visit.once()}>
          <div class="pair">
            <TextField
              name="cap_usd"
              label="Cap in US dollars"
              required
              draft={{ ...draft, values }}
              inputmode="decimal"
              placeholder="100.00"
            />
            <TextField name="timezone" label="Time zone" draft={{ ...draft, values }} placeholder="UTC" />
          </div>
          <div>
            <button class="primary" type="submit">
              {cap ? "Change the cap" : "Set the cap"}
            </button>
          </div>
        </Form>
        {cap && (
          <ActionButton
            csrf={visit.visitor.csrf}
            once={visit.once()}
            action={`${UNDER}/spend-cap/delete`}
            label="Remove the cap"
            danger
          />
        )}
      </div>
    </Card>
  );
}

const most = (limit: number | null | undefined) =>
  limit === null || limit === undefined ? "unlimited" : count(limit);

export function BalanceCard({
  quota,
  plan,
  chain,
}: {
  quota: Quota | null;
  plan: Plan | null;
  chain: ChainBudget | null;
}) {
  return (
    <Card title="Balance, plan and chains">
      <Facts
        of={[
          [
            "Prepaid balance",
            quota ? `${usd(quota.balance_usd)}, of which ${usd(quota.reserved_usd)} held` : "Not prepaid",
          ],
          ["Plan", plan?.plan ?? "–"],
          ["Runs this month", plan ? `${count(plan.runs_used)} of ${most(plan.runs_limit)}` : "–"],
          ["Tokens this month", plan ? `${count(plan.tokens_used)} of ${most(plan.tokens_limit)}` : "–"],
          ["Past the plan", plan ? (plan.overage_policy === "block" ? "Refused" : "Allowed") : "–"],
          [
            "Each chain",
            chain
              ? `${chain.max_cost_usd ? usd(chain.max_cost_usd) : "any cost"}, depth ${most(chain.max_depth)}, tokens ${most(chain.max_tokens)}`
              : "Unlimited",
          ],
        ]}
      />
    </Card>
  );
}

export function CustomersCard({
  visit,
  limits: rows,
  draft,
}: {
  visit: Visit;
  limits: readonly CustomerLimit[];
  draft: Draft;
}) {
  const columns = [
    { title: "Customer" },
    { title: "Used" },
    { title: "Spent", end: true },
    { title: "Limit", end: true },
    { title: "Ends", end: true },
    { title: "Actions", hidden: true },
  ];
  return (
    <Card title="Customer limits" note="A star is every customer without a limit of its own" bare>
      {rows.length > 0 && (
        <Table label="Customer limits" columns={columns}>
          {rows.map((limit) => (
            <tr>
              <td>
                {limit.customer_id}
                <span class="sub">per {limit.period}</span>
              </td>
              <td class="wide">
                {limit.spent_usd === undefined ? (
                  "–"
                ) : (
                  <Meter spent={share(limit.spent_usd, limit.limit_usd)} label={limit.customer_id} />
                )}
                {limit.spent_usd !== undefined && (
                  <span class="sub number">{percent(share(limit.spent_usd, limit.limit_usd))}</span>
                )}
              </td>
              <td class="end number">{usd(limit.spent_usd)}</td>
              <td class="end number">{usd(limit.limit_usd)}</td>
              <td class="end number">{limit.period_end ? moment(limit.period_end) : "–"}</td>
              <td>
                <ActionButton
                  csrf={visit.visitor.csrf}
                  once={visit.once()}
                  action={`${UNDER}/customers/${limit.id}/delete`}
                  label="Delete"
                  about={`Delete the limit of ${limit.customer_id}`}
                  danger
                />
              </td>
            </tr>
          ))}
        </Table>
      )}
      <div class="body">
        <Form action={`${UNDER}/customers`} csrf={visit.visitor.csrf} once={visit.once()}>
          <div class="pair">
            <TextField name="customer_id" label="Customer" required draft={draft} placeholder="* or an id" />
            <TextField
              name="limit_usd"
              label="Limit in US dollars"
              required
              draft={draft}
              inputmode="decimal"
            />
            <SelectField
              name="period"
              label="Period"
              required
              draft={draft}
              options={[
                ["month", "Month"],
                ["day", "Day"],
                ["week", "Week"],
                ["quarter", "Quarter"],
                ["year", "Year"],
                ["total", "Total"],
              ]}
            />
          </div>
          <div>
            <button type="submit">Limit this customer</button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function PacksCard({ visit, packs }: { visit: Visit; packs: readonly Pack[] }) {
  const columns = [
    { title: "Customer" },
    { title: "Left", end: true },
    { title: "Of", end: true },
    { title: "State" },
    { title: "Expires", end: true },
    { title: "Actions", hidden: true },
  ];
  return (
    <Card title="Credit packs" bare>
      {packs.length === 0 ? (
        <Empty icon="budgets" title="No credit packs">
          A customer with a live pack spends from it, and stops when it is empty.
        </Empty>
      ) : (
        <Table label="Credit packs" columns={columns}>
          {packs.map((pack) => (
            <tr>
              <td>
                {pack.customer_id}
                <span class="sub mono">{pack.id}</span>
              </td>
              <td class="end number">{usd(pack.remaining_usd)}</td>
              <td class="end number">{usd(pack.amount_usd)}</td>
              <td>
                <Status is={pack.status} />
              </td>
              <td class="end number">{pack.expires_at ? moment(pack.expires_at) : "Never"}</td>
              <td>
                {pack.status !== "voided" && (
                  <ActionButton
                    csrf={visit.visitor.csrf}
                    once={visit.once()}
                    action={`${UNDER}/packs/${pack.id}/void`}
                    label="Void"
                    about={`Void the pack of ${pack.customer_id}`}
                    danger
                  />
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Card>
  );
}
