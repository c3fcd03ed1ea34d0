import { MODEL_NAME_MOST_CHARACTERS } from "../../contract/bounds.ts";
import { invalidField } from "../../contract/refusal.ts";
import { operation } from "../../edge/request/operation.ts";
import { modelName } from "../../contract/resources/usage/dimension-shape.ts";
import { model, newModel } from "../../contract/resources/models.ts";

export const setModel = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/models/{model}",
    summary: "Set a model's price",
    role: "admin",
    scope: "limits:write",
    ifMatch: true,
    dryRun: true,
    freeParams: ["model"],
    body: newModel,
    reply: { 200: model },
    refuses: ["conflict"],
  },
  async (call) => {
    const { model: name } = call.params;
    if (!modelName.safeParse(name).success)
      return invalidField(
        "model",
        "out_of_range",
        `must have at most ${MODEL_NAME_MOST_CHARACTERS} characters`,
      );
    return call.org.command("setModel", { model: name, body: call.body });
  },
);
