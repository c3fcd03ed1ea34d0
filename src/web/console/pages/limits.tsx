import { BLANK, type Draft, Problems } from "../view/form.tsx";
import { Notice, noticeAt } from "../view/notice.tsx";
import { Head } from "../view/parts.tsx";
import { type Ask, bodyOf, type ListOf, show, type Shown, submit, type Visit } from "../visit.ts";
import { act } from "./act.ts";
import {
  BalanceCard,
  CapCard,
  type ChainBudget,
  CustomersCard,
  type Pack,
  PacksCard,
} from "./limit-cards.tsx";
import type { CustomerLimit, Plan, Quota, SpendCap } from "./limits-at-a-glance.ts";

const UNDER = "/console/limits";

export async function limits(visit: Visit, ask: Ask, draft: Draft = BLANK, status = 200): Promise<Shown> {
  const { api, org } = visit;
  const [cap, customers, packs, quota, plan, chain] = await Promise.all([
    api.get<SpendCap>(`${org}/spend-cap`),
    api.get<ListOf<CustomerLimit>>(`${org}/customer-limits?limit=200`),
    api.get<ListOf<Pack>>(`${org}/credit-packs?limit=200`),
    api.get<Quota>(`${org}/quota`),
    api.get<Plan>(`${org}/plan`),
    api.get<ChainBudget>(`${org}/chain-budget`),
  ]);
  const content = (
    <>
      <Head
        title="Limits"
        about="Everything else that can say no: the daily cap, customers, credits, the prepaid balance, the plan and chains."
      />
      <Notice ask={ask} />
      <Problems draft={draft} />
      <div class="columns">
        <CapCard visit={visit} cap={cap.body} draft={draft} />
        <BalanceCard quota={quota.body} plan={plan.body} chain={chain.body} />
      </div>
      <CustomersCard visit={visit} limits={customers.body?.data ?? []} draft={draft} />
      <PacksCard visit={visit} packs={packs.body?.data ?? []} />
    </>
  );
  return show("Limits", UNDER, content, status);
}

export function saveCap(visit: Visit, ask: Ask): Promise<Shown> {
  const request = {
    method: "PUT",
    path: `${visit.org}/spend-cap`,
    body: bodyOf(ask.form, { cap_usd: "text", timezone: "text" }),
  } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "saved"),
    (draft, status) => limits(visit, ask, draft, status),
  );
}

export function removeCap(visit: Visit, ask: Ask): Promise<Shown> {
  return act(visit, ask, ["DELETE", `${visit.org}/spend-cap`, null], [UNDER, "deleted"]);
}

export function limitCustomer(visit: Visit, ask: Ask): Promise<Shown> {
  const body = bodyOf(ask.form, { customer_id: "text", limit_usd: "text", period: "text" });
  const request = { method: "POST", path: `${visit.org}/customer-limits`, body } as const;
  return submit(
    visit,
    ask,
    request,
    () => noticeAt(UNDER, "created"),
    (draft, status) => limits(visit, ask, draft, status),
  );
}

export function unlimitCustomer(visit: Visit, ask: Ask): Promise<Shown> {
  return act(
    visit,
    ask,
    ["DELETE", `${visit.org}/customer-limits/${ask.params["id"]}`, null],
    [UNDER, "deleted"],
  );
}

export function voidPack(visit: Visit, ask: Ask): Promise<Shown> {
  return act(
    visit,
    ask,
    ["POST", `${visit.org}/credit-packs/${ask.params["id"]}/void`, {}],
    [UNDER, "voided"],
  );
}
