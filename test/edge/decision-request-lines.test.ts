import { beforeAll, describe, test } from "vitest";
import { type Cases, expectAnswersWith } from "../support/expect-answers.ts";
import { useRealLives } from "../support/lives.ts";
import { newOrg, type TestOrg } from "../support/worker.ts";

useRealLives();

/** What a decision is answered, for any request line and headers. */

let org: TestOrg;
beforeAll(async () => {
  org = await newOrg();
});

const GOOD = { estimate: { cost_usd: "0.01" } };
const text = (more: object): string => JSON.stringify({ ...GOOD, ...more });

/** Sent with the org's own key. */
const expectAnswers = (cases: Cases): Promise<void> => expectAnswersWith(org.ownerKey, cases);

describe("a decision and", () => {
  test("content types", async () => {
    const typed = (type: string | null) => ({ body: text({}), headers: { "content-type": type } });
    await expectAnswers({
      plain: [typed("application/json"), 200],
      charset: [typed("application/json; charset=utf-8"), 200],
      "charset in quotes": [typed('application/json; charset="UTF-8"'), 200],
      "another charset": [typed("application/json;charset=latin1"), 422],
      "two charsets": [typed("application/json; charset=utf-8; charset=utf-16"), 422],
      "upper case": [typed("APPLICATION/JSON"), 200],
      missing: [typed(null), 422],
      empty: [typed(""), 422],
      text: [typed("text/plain"), 422],
      "JSON of another kind": [typed("application/json-patch+json"), 422],
      form: [typed("application/x-www-form-urlencoded"), 422],
      several: [typed("application/json, text/plain"), 422],
    });
  });

  test("other headers", async () => {
    const with_ = (headers: Record<string, string>) => [{ body: text({}), headers }, 200] as const;
    await expectAnswers({
      "idempotency-key": with_({ "idempotency-key": "k" }),
      "a bad idempotency-key": with_({ "idempotency-key": "k".repeat(300) }),
      "if-match": with_({ "if-match": '"none"' }),
      "if-none-match": with_({ "if-none-match": "*" }),
      accept: with_({ accept: "text/html" }),
      range: with_({ range: "bytes=0-1" }),
      trace: with_({ "x-svc-trace-id": "mine", "x-request-id": "mine" }),
      region: with_({ "x-svc-region": "mars", "x-svc-decided": "object" }),
      forwarded: with_({ "x-forwarded-for": "192.0.2.1", "x-real-ip": "192.0.2.1" }),
      method: with_({ "x-http-method-override": "GET" }),
      cookie: with_({ cookie: "svc_session=nothing" }),
      origin: with_({ origin: "https://evil.test" }),
      encoding: with_({ "content-encoding": "gzip" }),
      "a pass that means nothing here": [{ body: text({}), headers: { "x-svc-region-pass": "a.b" } }, 200],
    });
  });

  test("methods", async () => {
    const by = (method: string, status: number) =>
      [
        method,
        [{ method, ...(method === "GET" || method === "HEAD" ? {} : { body: text({}) }) }, status],
      ] as const;
    await expectAnswers(
      Object.fromEntries([
        by("GET", 404),
        by("HEAD", 404),
        by("PUT", 404),
        by("PATCH", 404),
        by("DELETE", 404),
        by("OPTIONS", 404),
        by("PURGE", 404),
        by("post", 200),
      ]),
    );
  });

  test("paths and hosts", async () => {
    const to = (address: string, status: number) =>
      [address, [{ to: address, body: text({}) }, status]] as const;
    await expectAnswers(
      Object.fromEntries<Cases[string]>([
        to("/v1/edge/decision", 200),
        to("/v1/edge/decision?", 200),
        to("/v1/edge/decision?x=1", 200),
        to("/v1/edge/decision?x=%zz", 200),
        to("/v1/edge/decision#x", 200),
        to("/v1/edge/decision/", 404),
        to("//v1/edge/decision", 404),
        to("/v1//edge/decision", 404),
        to("/v1/edge//decision", 404),
        to("/v1/./edge/x/../decision", 200),
        to("/v1/edge/%64ecision", 200),
        to("/v1/edge%2fdecision", 404),
        to("/v1/edge/decision%", 404),
        to("/v1/edge/decision%20", 404),
        to("/V1/edge/decision", 404),
        to("/x/v1/edge/decision", 404),
        to("/v1/runs?x=/v1/edge/decision", 422),
        to("/?x=/v1/edge/decision", 404),
        to("/v1/edge/decision\\x", 404),
        to("\\v1\\edge\\decision", 200),
        to("http://sluice.test:8787/v1/edge/decision", 200),
        to("https://[::1]/v1/edge/decision", 200),
        to("http://user:word@sluice.test/v1/edge/decision", 200),
        to("http://v1/edge/decision", 404),
        to("http://x/v1/edge/decision@sluice.test/", 404),
      ]),
    );
  });
});
