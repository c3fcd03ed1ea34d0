import { governedFetch } from "../../../src/adapters/fetch.ts";
import {
  ADDRESSES,
  Background,
  GRACE_MS,
  hasAddress,
  isLeftAlone,
  read,
  requestOf,
  type Road,
  sentTo,
  type Surroundings,
} from "./road.ts";

/** `governedFetch` in the place of an SDK's own. */
export function fetchRoad({ gate, provider }: Surroundings): Road {
  const send = sentTo(provider);
  const background = new Background();
  return {
    name: "governedFetch",
    settled: background.settled,
    takes: hasAddress,
    async call(shape, name) {
      const { headers, body } = requestOf(shape, name);
      const governed = governedFetch({
        gate,
        ask: { workflow_id: name },
        leaveGraceMs: GRACE_MS,
        onLeave: isLeftAlone(shape) ? "finish" : "stop",
        waitUntil: background.waitUntil,
        fetch: (input, init) => send(new Request(input).url, init ?? {}),
      });
      const answer = await governed(`${ADDRESSES[shape.host]}${shape.path}`, {
        method: "POST",
        headers,
        body,
      });
      await read(answer, shape);
    },
  };
}
