import { anthropic } from "./anthropic.ts";
import { bedrockConverse, bedrockConverseStream } from "./apis/bedrock-converse.ts";
import { bedrockInvoke, bedrockInvokeStream } from "./apis/bedrock-invoke.ts";
import { awsCredentials, bearer, provider } from "./provider.ts";
import { bedrockError } from "./wire-refusal.ts";

/** Models of Amazon Bedrock. Its address says its region, such as `https://bedrock-runtime.eu-west-1.amazonaws.com`. */
export const bedrock = provider("bedrock", {
  prices: "aws",
  url: null,
  hosts: /^bedrock-runtime(?:-fips)?\.[a-z0-9-]+\.amazonaws\.com(?:\.cn)?$/,
  auth: bearer,
  signsWith: awsCredentials("bedrock"),
  // A refusal of its key names the operator's account.
  keyRefusals: [401, 403],
  serves: {
    "/model/{model}/converse": bedrockConverse,
    "/model/{model}/converse-stream": bedrockConverseStream,
    "/model/{model}/invoke": bedrockInvoke,
    "/model/{model}/invoke-with-response-stream": bedrockInvokeStream,
  },
  free: ["POST /model/{model}/count-tokens"],
  models: [
    ...anthropic.models.map((facts) => ({ ...facts, models: madeBy("anthropic", facts.models) })),
    { models: madeBy("amazon", /titan-embed-/), contextTokens: 2_097_152, outputTokens: 0, reasons: false },
    {
      models: madeBy("amazon", /nova-\w+-v1/),
      contextTokens: 1_000_000,
      outputTokens: 32_768,
      reasons: false,
    },
    { models: madeBy("meta", /llama3/), contextTokens: 131_072, outputTokens: 8192, reasons: false },
    // Scout reads more than any other model.
    { models: madeBy("meta", /llama4/), contextTokens: 10_485_760, outputTokens: 16_384, reasons: false },
  ],
  errorBody: bedrockError,
});

/** Names as Bedrock has them: `us.anthropic.claude-…` is the profile of one region, and `anthropic.claude-…` the model. */
function madeBy(maker: string, { source }: RegExp): RegExp {
  return new RegExp(`^(?:[a-z-]+\\.)?${maker}\\.${source.replace(/^\^/, "")}`);
}
