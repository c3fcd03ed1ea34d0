import { expect, test } from "vitest";
import { http } from "../../support/http.ts";
import { operator, run, TwoRegions } from "../../support/two-regions.ts";

/** Moves of an org that break off, because a region is killed or the line between them is cut. */

const regions = new TwoRegions();

/** Where a move can be killed, in either region: before and after each thing that one says to the other. */
const KILLS = (["old", "new"] as const).flatMap((home) =>
  ["beginImport", "stageImport", "finishImport"].flatMap((method) =>
    (["before", "after"] as const).map((when) => [home, method, when] as const),
  ),
);

test.each(KILLS)(
  "a move whose %s region is killed around %s (%s it) leaves the org whole, and ends when it is sent again",
  async (home, method, when) => {
    const org = await regions.newOrg();
    await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("before") });
    let isKilled = false;
    regions.between.onCall = async (called, then) => {
      if (isKilled || called !== method || then !== when) return;
      isKilled = true;
      await { old: regions.eu, new: regions.us }[home].crash();
      throw new Error("killed");
    };
    const first = await regions.move(org, "us").catch(() => null);
    // The old region goes on by itself where it can.
    expect([isKilled, home === "old" && first?.status === 200]).toEqual([true, false]);
    const moved = await regions.movedAtLast(org, "us");
    expect(moved.body.home_region).toBe("us");
    await regions.expectWhole(org, "us");
    for (const server of [regions.eu, regions.us]) {
      expect((await http("GET", `${server.urls[0]}/v1/runs/before`, { key: org.key })).status).toBe(200);
    }
    expect(
      (await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("after") })).status,
    ).toBe(201);
  },
);

test("a move that is stuck refuses writes with a time to wait, and can be undone unless the other region has the org", async () => {
  const org = await regions.newOrg();
  const undo = () => http("DELETE", `${regions.eu.urls[0]}/v1/admin/orgs/${org.id}/move`, operator);
  const breakAt = (when: "before" | "after") => {
    regions.between.onCall = (called, then) => {
      if (called === "finishImport" && then === when) throw new Error("the line is cut");
    };
  };
  breakAt("before");
  expect((await regions.move(org, "us")).status).toBe(503);
  const waiting = await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("waiting") });
  expect([waiting.status, waiting.headers.get("retry-after")]).toEqual([503, "2"]);
  expect((await http("GET", `${regions.eu.urls[0]}/v1/orgs/${org.id}`, { key: org.key })).status).toBe(200);
  expect((await undo()).body.home_region).toBe("eu");
  expect(
    (await http("POST", `${regions.eu.urls[0]}/v1/runs`, { key: org.key, body: run("waiting") })).status,
  ).toBe(201);
  await regions.expectWhole(org, "eu");
  breakAt("after");
  expect((await regions.move(org, "us")).status).toBe(503);
  regions.between.onCall = () => undefined;
  expect((await undo()).body.error.code).toBe("conflict");
  await regions.movedAtLast(org, "us");
  await regions.expectWhole(org, "us");
});
