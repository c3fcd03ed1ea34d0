import { describe, expect, test } from "vitest";
import { noise } from "../domain/safety/noise.ts";
import { aRun, newSpender, type Spender } from "../support/ledger.ts";
import { rowsOf } from "../support/rows.ts";
import { AUDIT_ROWS } from "../support/logs.ts";

const COSTLY = "(?s).*a.{900}b";
const HOSTILE = noise(400_000);

const detect = (org: Spender, ...patterns: { pattern: string; action: string }[]) =>
  org.send("PUT", "content-safety", {
    detectors: patterns.map((one, index) => ({ id: `p${index}`, kind: "pattern", ...one })),
  });
const actions = async (org: Spender) =>
  (await rowsOf<{ action: string }>(org.id, `SELECT action FROM ${AUDIT_ROWS} ORDER BY seq`)).map(
    (row) => row.action,
  );

describe("a detector whose pattern costs too much on an input", () => {
  test("refuses the run, names itself and says what to do, and charges nothing", async () => {
    const org = await newSpender();
    expect((await detect(org, { pattern: COSTLY, action: "block" })).status).toBe(200);
    const refused = await org.run({ input: HOSTILE });
    expect(refused.status).toBe(403);
    expect(refused.body.error.code).toBe("content_safety_blocked");
    expect(refused.body.error.details).toEqual({ detector: "p0", sample: HOSTILE.slice(0, 120) });
    expect(refused.body.error.message).toMatch(/'p0' could not scan the whole input.*Send less input/);
    expect(await org.events("safety.blocked")).toMatchObject([{ data: { detector: "p0" } }]);
    expect((await org.run({ input: "short" })).status).toBe(201);
  });

  test("in shadow mode allows the run and is audited as not evaluated", async () => {
    const org = await newSpender();
    await detect(org, { pattern: COSTLY, action: "shadow" }, { pattern: "SECRET", action: "block" });
    expect((await org.run({ input: HOSTILE })).status).toBe(201);
    expect(await actions(org)).toContain("safety.shadow_not_evaluated");
    expect((await org.run({ input: `${HOSTILE} SECRET` })).body.error.details.detector).toBe("p1");
  });

  test("refuses only its own runs of a batch", async () => {
    const org = await newSpender();
    await detect(org, { pattern: COSTLY, action: "block" });
    const runs = Array.from({ length: 2 }, () => aRun({ input: HOSTILE.slice(0, 300_000) }));
    const { status, body } = await org.bulk([...runs, aRun()]);
    expect(status).toBe(200);
    expect(body).toMatchObject({ accepted: 1, rejected: 2 });
  });
});

const numbers = (count: number) => `[${Array.from({ length: count }, (_, at) => at).join(",")}]`;
/** A slow rule that matches nothing: with 35 numbers, 4 % of the work of a run. */
const slowRule = (count: number, mode: string) => ({
  target: "model",
  effect: "deny",
  when: `${numbers(count)}.all(a, ${numbers(count)}.all(b, a + b >= 0)) && false`,
  reason: "x",
  mode,
});

async function addRules(org: Spender, rule: object): Promise<void> {
  for (let at = 0; at < 10; at += 1) expect((await org.send("POST", "policy-rules", rule)).status).toBe(201);
}

describe("the work of checks is bounded together", () => {
  /** One detector, or one shadow detector, uses three quarters of the work of a run. */
  const LARGE = HOSTILE.slice(0, 8000);
  const SMALL = HOSTILE.slice(0, 2500);
  const block = { pattern: COSTLY, action: "block" };
  const shadow = { pattern: COSTLY, action: "shadow" };
  const unread = async (org: Spender) =>
    (await actions(org)).filter((action) => action === "safety.shadow_not_evaluated").length;

  test("for all detectors of a run", async () => {
    const org = await newSpender();
    await detect(org, block);
    expect((await org.run({ input: LARGE })).status).toBe(201);
    await detect(org, block, block);
    const refused = await org.run({ input: LARGE });
    expect([refused.status, refused.body.error.details.detector]).toEqual([403, "p1"]);
  });

  test("for the rules and detectors of a run", async () => {
    const org = await newSpender();
    await addRules(org, slowRule(35, "enforce"));
    expect((await org.run({ input: LARGE })).status).toBe(201);
    await detect(org, block);
    const refused = await org.run({ input: LARGE });
    expect([refused.status, refused.body.error.details.detector]).toEqual([403, "p0"]);
    expect((await org.run({ input: SMALL })).status).toBe(201);
  });

  test("for all runs of a call", async () => {
    const org = await newSpender();
    await detect(org, block);
    const costly = Array.from({ length: 12 }, () => aRun({ input: LARGE }));
    const { body } = await org.bulk([...costly, aRun()]);
    expect(body.rejected).toBeGreaterThan(0);
    expect(body.accepted).toBeGreaterThan(5);
    expect(body.results.at(-2).error.code).toBe("content_safety_blocked");
    expect(body.results.at(-1).error).toBeUndefined();
  });

  test("in shadow mode, for detectors, rules and runs alike", async () => {
    const org = await newSpender();
    await detect(org, shadow);
    expect((await org.run({ input: SMALL })).status).toBe(201);
    expect(await unread(org)).toBe(0);
    await detect(org, shadow, shadow);
    expect((await org.run({ input: SMALL })).status).toBe(201);
    expect(await unread(org)).toBe(1);

    const ruled = await newSpender();
    await addRules(ruled, slowRule(25, "shadow"));
    await detect(ruled, shadow);
    expect((await ruled.run({ input: SMALL })).status).toBe(201);
    expect(await unread(ruled)).toBe(1);

    const many = await newSpender();
    await detect(many, shadow);
    expect((await many.bulk(Array.from({ length: 12 }, () => aRun({ input: SMALL })))).body.accepted).toBe(
      12,
    );
    expect(await unread(many)).toBeGreaterThan(0);
  });
});

describe("too large a pattern is refused when it is written", () => {
  test("for one detector, and for all of them together", async () => {
    const org = await newSpender();
    const one = await detect(org, { pattern: "a{1,600}", action: "block" });
    expect(one.status).toBe(422);
    const [field] = one.body.error.details.fields;
    expect(field.field).toBe("detectors[0].pattern");
    expect(field.message).toMatch(/1201.*at most 1000/);
    const many = Array.from({ length: 6 }, () => ({ pattern: "a{1,450}b", action: "block" }));
    const all = await detect(org, ...many);
    expect(all.status).toBe(422);
    expect(all.body.error.details.fields[0].field).toBe("detectors[5].pattern");
  });

  test("for one rule, and for all rules of an organization together", async () => {
    const org = await newSpender();
    const write = (when: string) =>
      org.send("POST", "policy-rules", { target: "model", effect: "deny", when, reason: "x" });
    const large = (n: number) => `model.matches("a{1,450}${n}")`;
    const one = await write([1, 2, 3].map(large).join(" || "));
    expect(one.status).toBe(422);
    expect(one.body.error.details.fields[0]).toMatchObject({ field: "when", code: "invalid_expression" });
    expect(one.body.error.details.fields[0].message).toMatch(/size of 2\d{3}, and at most 2000/);
    const statuses: number[] = [];
    for (let at = 0; at < 12; at += 1) {
      statuses.push((await write(`${large(at)} || ${large(at + 100)}`)).status);
    }
    expect(statuses.filter((status) => status === 201)).toHaveLength(11);
    const last = await write(`${large(90)} || ${large(91)}`);
    expect(last.body.error.details.fields[0]).toMatchObject({ field: "when", code: "too_large" });
    expect((await write('model == "acme/m9"')).status).toBe(201);
  });
});
