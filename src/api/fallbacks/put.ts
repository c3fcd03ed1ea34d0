import { invalidFields } from "../../contract/refusal.ts";
import { fallback, newFallback } from "../../contract/resources/fallbacks.ts";
import { operation } from "../../edge/request/operation.ts";
import { apiErrors } from "./api-errors.ts";
import { nameError } from "./name.ts";
import { sameModelErrors } from "./same-model.ts";

export const putFallback = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/fallbacks/{name}",
    summary: "Set a fallback",
    description:
      "The governed proxy and the adapters try the next model of the list when a limit refuses a call that matches, when its provider fails before it answers, when it has no price, or from the start while its budgets are used up to `budget_share`. Each try is decided and charged by itself. A model that is called by another API gets 422: nothing is translated. So does the model that the rule falls back from, at the same provider. Where several rules apply, the first by name acts. In force within a few seconds.",
    role: "admin",
    scope: "routing:write",
    idempotent: true,
    ifMatch: true,
    dryRun: true,
    freeParams: ["name"],
    body: newFallback,
    reply: { 200: fallback },
    refuses: ["conflict"],
  },
  async ({ params: { name }, body, org }) => {
    const wrongName = nameError(name);
    const wrong = [...(wrongName === null ? [] : [wrongName]), ...apiErrors(body), ...sameModelErrors(body)];
    return wrong.length > 0 ? invalidFields(wrong) : org.command("setFallback", { name, rule: body });
  },
);
