import { z } from "zod";
import { invalidField } from "../../contract/refusal.ts";
import { usdInput } from "../../contract/shapes.ts";
import { operation } from "../../edge/operation.ts";
import { modelName } from "../../contract/resources/runs.ts";
import { model } from "../../contract/resources/models.ts";

const price = z.strictObject({
  input_usd_per_mtok: usdInput,
  output_usd_per_mtok: usdInput,
  regions: z
    .array(z.string().regex(/^[a-z0-9-]{1,32}$/))
    .max(100)
    .optional(),
});

export const setModel = operation(
  {
    method: "PUT",
    path: "/v1/orgs/{id}/models/{model}",
    summary: "Set a model's price",
    role: "admin",
    scope: "limits:write",
    ifMatch: true,
    freeParams: ["model"],
    body: price,
    reply: { 200: model },
    refuses: ["conflict"],
  },
  async (call) => {
    const { model: name } = call.params;
    if (!modelName.safeParse(name).success)
      return invalidField("model", "out_of_range", "must be a model's name");
    return call.org.command("setModel", { model: name, ...call.body });
  },
);
