import { governedAi } from "../../../src/adapters/workers-ai.ts";
import { Background, pricedAs, promptOf, read, type Road, type Surroundings } from "./road.ts";
import { PROMPT } from "../billing-provider/shape.ts";

/** A Worker that calls its binding of Workers AI. */
export function bindingRoad({ gate, provider }: Surroundings): Road {
  const background = new Background();
  const run = async (_model: string, inputs: { readonly stream?: boolean }): Promise<unknown> => {
    const answer = await fetch(`${provider}/ai/run`, { method: "POST", body: JSON.stringify(inputs) });
    return inputs.stream === true ? answer.body : answer.json();
  };
  return {
    name: "Workers AI",
    settled: background.settled,
    takes: ({ host }) => host === "cloudflare",
    async call(shape, name) {
      const { waitUntil } = background;
      const ai = governedAi({ run }, { gate, ask: { workflow_id: name }, waitUntil });
      const text = JSON.stringify(shape.body).replaceAll(PROMPT, promptOf(shape, name));
      const answer: unknown = await ai.run(pricedAs(shape).model, JSON.parse(text) as { stream?: boolean });
      if (answer instanceof ReadableStream) await read(new Response(answer), shape);
    },
  };
}
