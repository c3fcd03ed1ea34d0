import { Hono } from "hono";
import { govern, type SluiceVariables } from "../../../src/adapters/hono.ts";
import { inputOf } from "../billing-provider/rates.ts";
import type { Shape } from "../billing-provider/shape.ts";
import { Background, hasAddress, pricedAs, read, requestOf, type Road, type Surroundings } from "./road.ts";

/** What the application says of a call, which is more than it reads and writes. */
const estimateOf = ({ billed }: Shape) => ({
  input_tokens: 5000 + (typeof billed === "function" ? 0 : inputOf(billed)),
  max_output_tokens: 20_000,
});

/** An application that passes calls on, behind the middleware for Hono. */
export function honoRoad({ gate, provider }: Surroundings): Road {
  const background = new Background();
  const appFor = (shape: Shape, name: string) => {
    const app = new Hono<{ Variables: SluiceVariables }>();
    app.use(
      govern({ gate, ask: () => ({ ...pricedAs(shape), workflow_id: name, estimate: estimateOf(shape) }) }),
    );
    app.post("*", async (c) => fetch(provider + shape.path, { method: "POST", body: await c.req.text() }));
    return app;
  };
  return {
    name: "Hono",
    settled: background.settled,
    // The application itself would have to state the tiers and units that it asks for.
    takes: (shape) =>
      hasAddress(shape) && shape.isHostile !== true && shape.file === undefined && !isByUnit(shape),
    async call(shape, name) {
      const { headers, body } = requestOf(shape, name);
      const context = { waitUntil: background.waitUntil, passThroughOnException: () => undefined, props: {} };
      const request = new Request(`http://app.test${shape.path}`, { method: "POST", headers, body });
      await read(await appFor(shape, name).fetch(request, {}, context), shape);
    },
  };
}

function isByUnit({ billed, path, body }: Shape): boolean {
  return (
    typeof billed === "function" ||
    billed.searches !== undefined ||
    billed.sessions !== undefined ||
    body["service_tier"] !== undefined ||
    body["speed"] !== undefined ||
    body["inference_geo"] !== undefined ||
    /^\/v1\/(?:audio|images)\//.test(path)
  );
}
