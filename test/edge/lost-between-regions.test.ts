import { expect, test } from "vitest";
import { PASS_HEADER, sendToRegion, UNTAKEN_HEADER } from "../../src/edge/region/peer.ts";
import { ObjectUnreachable } from "../../src/edge/object/unreachable.ts";
import { settingsOf } from "../../src/settings.ts";
import { env } from "../support/worker.ts";

/** A connection to another region that is lost before its answer begins. */

const LOST = () => Promise.reject(new Error("Network connection lost."));
const answered = async (more: Record<string, string> = {}) =>
  new Response("{}", { headers: { "x-svc-region": "far", ...more } });

/** A region that does these one after another, and the passes that it was sent. */
function farRegion(steps: readonly (() => Promise<Response>)[]) {
  const passes: (string | null)[] = [];
  const FAR = {
    fetch(_address: string, { headers }: RequestInit) {
      passes.push(new Headers(headers).get(PASS_HEADER));
      return (steps[passes.length - 1] ?? LOST)();
    },
  };
  const deployed = {
    ...env,
    FAR,
    SVC_REGION_SECRET: "region-secret-for-tests-0123456789abcdefghij",
    SVC_REGIONS: JSON.stringify({ far: "FAR" }),
  };
  const request = { method: "POST", target: "/v1/runs", headers: new Headers(), body: "{}" };
  const caller = { keeper: "org_1", trace: "", address: "" };
  const send = () => sendToRegion(deployed, settingsOf(deployed), { to: "far", request, caller });
  return { passes, send };
}

test.each([1, 2, 3])(
  "is followed by %i others with the same pass, which the region takes once",
  async (lost) => {
    const { passes, send } = farRegion([...Array.from({ length: lost }, () => LOST), answered]);
    expect((await send()).status).toBe(200);
    expect(passes).toHaveLength(lost + 1);
    expect(new Set(passes).size).toBe(1);
  },
);

test("is not followed by a fourth", async () => {
  const { passes, send } = farRegion([LOST, LOST, LOST, LOST, answered]);
  await expect(send()).rejects.toBeInstanceOf(ObjectUnreachable);
  expect(passes).toHaveLength(4);
});

test("may have been taken where the pass is refused then, so nothing is sent under another one", async () => {
  const { passes, send } = farRegion([LOST, () => answered({ [UNTAKEN_HEADER]: "true" }), answered]);
  await expect(send()).rejects.toBeInstanceOf(ObjectUnreachable);
  expect(new Set(passes).size).toBe(1);
});

test("is not what a refused pass, a foreign answer or a late one is", async () => {
  const refused = farRegion([() => answered({ [UNTAKEN_HEADER]: "true" }), answered]);
  expect((await refused.send()).status).toBe(200);
  expect(new Set(refused.passes).size).toBe(2);
  const foreign = farRegion([async () => new Response("bad gateway", { status: 502 }), answered]);
  await expect(foreign.send()).rejects.toBeInstanceOf(ObjectUnreachable);
  expect(foreign.passes).toHaveLength(1);
  const late = farRegion([() => Promise.reject(new DOMException("too late", "TimeoutError")), answered]);
  await expect(late.send()).rejects.toBeInstanceOf(ObjectUnreachable);
  expect(late.passes).toHaveLength(1);
});
