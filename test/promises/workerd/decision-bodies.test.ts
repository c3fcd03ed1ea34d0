import { beforeAll, describe, expect, test } from "vitest";
import { DECISION } from "../../../src/contract/decision.ts";
import { type Cases, expectAnswers as expectAll, expectAnswersWith } from "../../support/expect-answers.ts";
import { useRealLives } from "../../support/lives.ts";
import { sendAll } from "../../support/observed-decision.ts";
import { call, newOrg, type TestOrg } from "../../support/worker.ts";

useRealLives();

/** What a decision is answered, for any body. */

let org: TestOrg;
beforeAll(async () => {
  org = await newOrg();
});

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const COST = { cost_usd: "0.01" };
const GOOD = { estimate: COST };
const text = (more: object): string => JSON.stringify({ ...GOOD, ...more });

/** Sent with the org's own key. */
const expectAnswers = (cases: Cases): Promise<void> => expectAnswersWith(org.ownerKey, cases);

const bodies = (named: Record<string, readonly [body: string, status: number]>): Cases =>
  Object.fromEntries(
    Object.entries(named).map(([name, [body, ...rest]]) => [name, [{ body }, ...rest] as const]),
  );

const ID_FIELDS = [
  "request_id",
  "action",
  "workflow_id",
  "deployment_id",
  "department_id",
  "customer_id",
  "variant",
];

describe("a decision and", () => {
  test.each(ID_FIELDS)("the bounds of %s", async (field) => {
    const id = (value: unknown) => text({ [field]: value, hold_seconds: 3600 });
    await expectAnswers(
      bodies({
        empty: [id(""), 422],
        one: [id("a"), 200],
        spaces: [id("  ~ "), 200],
        longest: [id("x".repeat(128)), 200],
        "too long": [id("x".repeat(129)), 422],
        tab: [id("a\tb"), 422],
        "line feed at the end": [id("a\n"), 422],
        delete: [id("a\u007f"), 422],
        "not ASCII": [id("é"), 422],
        escaped: [text({}).replace("{", `{"${field}":"\\u0062",`), 200],
        brackets: [id("a[0]{b}{c}"), 200],
        quote: [id('a"b\\/'), 200],
        null: [id(null), 422],
        number: [id(1), 422],
        array: [id(["a"]), 422],
        object: [id({}), 422],
      }),
    );
  });

  test("a caller's trace, and on ignoring what is none", async () => {
    const traced = (traceparent: string) => ({ headers: { traceparent }, body: text({}) });
    await expectAnswers({
      valid: [traced(`00-${TRACE}-00f067aa0ba902b7-01`), 200],
      "of a later version": [traced(`01-${TRACE}-00f067aa0ba902b7-01-more`), 200],
      "with more than version 00 has": [traced(`00-${TRACE}-00f067aa0ba902b7-01-more`), 200],
      "upper case": [traced(`00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`), 200],
      "a trace of zeros": [traced(`00-${"0".repeat(32)}-00f067aa0ba902b7-01`), 200],
      "a quote": [traced(`00-${TRACE}-00f067aa0ba902b7-01","org":"x`), 200],
      long: [traced(`01-${TRACE}-00f067aa0ba902b7-01-${"x".repeat(5000)}`), 200],
    });
  });

  test("what the log says of a refusal", async () => {
    const full = await newOrg();
    const budget = { scope_kind: "org", limit_usd: "1", period: "day", mode: "enforce" };
    const path = `/v1/orgs/${full.id}/budgets`;
    expect((await call("POST", path, { key: full.ownerKey, body: budget })).status).toBe(201);
    const body = JSON.stringify({ estimate: { cost_usd: "7.5" }, customer_id: "c 1" });
    const { refused } = await sendAll({ refused: { key: full.ownerKey, body } });
    const [line] = refused?.log ?? [];
    expect(line).toContain('"code":"budget_exceeded"');
    expect(line).toMatch(/"limit":"bud_\w{26}","customer":"c 1","amount_usd":"7\.50?"/);
  });

  test("the bounds of a model", async () => {
    const model = (value: unknown) => text({ model: value });
    await expectAnswers(
      bodies({
        empty: [model(""), 422],
        one: [model("m"), 200],
        longest: [model("m".repeat(200)), 200],
        "too long": [model("m".repeat(201)), 422],
        "not ASCII": [model("modèle"), 200],
        "line feed": [model("m\n"), 200],
        null: [model(null), 422],
        number: [model(5), 422],
      }),
    );
  });

  test("amounts", async () => {
    const cost = (cost_usd: unknown) => JSON.stringify({ estimate: { cost_usd } });
    const allowed = [
      "0",
      "1",
      "999999999",
      "0.1",
      "0.123456789",
      "999999999.999999999",
      "0000000000001.5",
      "00",
    ];
    const refused = [
      "1000000000",
      "0.1234567890",
      "-1",
      "+1",
      "1e3",
      "",
      " 1",
      "1 ",
      "1.",
      ".5",
      "1,5",
      "0x1",
      "NaN",
    ];
    await expectAnswers({
      ...bodies(Object.fromEntries(allowed.map((amount) => [amount, [cost(amount), 200] as const]))),
      ...bodies(Object.fromEntries(refused.map((amount) => [amount, [cost(amount), 422] as const]))),
      ...bodies({
        "Arabic digits": [cost("١"), 422],
        "line feed at the end": [cost("1\n"), 422],
        number: [cost(1), 422],
        null: [cost(null), 422],
        true: [cost(true), 422],
      }),
    });
  });

  test("tokens", async () => {
    const priced = (estimate: object) => JSON.stringify({ estimate: { ...COST, ...estimate } });
    const { most } = DECISION.tokens;
    const cases = ["input_tokens", "max_output_tokens"].flatMap((field) =>
      Object.entries({
        "-1": 422,
        "-0": 200,
        "0": 200,
        "1.5": 422,
        "1.0": 200,
        "1e2": 200,
        [String(most)]: 200,
        [String(most + 1)]: 422,
        '"1"': 422,
        null: 422,
        "1e400": 422,
      }).map(([value, status]) => {
        const body = priced({ [field]: "?" }).replace('"?"', value);
        return [`${field} ${value}`, [body, status]] as const;
      }),
    );
    await expectAnswers(bodies(Object.fromEntries(cases)));
  });

  test("the least output", async () => {
    await call("PUT", `/v1/orgs/${org.id}/models/m`, {
      key: org.ownerKey,
      body: { input_usd_per_mtok: "1", output_usd_per_mtok: "1" },
    });
    const least = (estimate: string) => `{"model":"m","estimate":{${estimate}}}`;
    await expectAnswers(
      bodies({
        one: [least('"min_output_tokens":1'), 200],
        most: [least('"min_output_tokens":7,"max_output_tokens":7'), 200],
        default: [least('"min_output_tokens":4096'), 200],
        "above the default": [least('"min_output_tokens":4097'), 422],
        "above the most": [least('"min_output_tokens":8,"max_output_tokens":7'), 422],
        none: [least('"min_output_tokens":0'), 422],
        fraction: [least('"min_output_tokens":1.5'), 422],
        text: [least('"min_output_tokens":"1"'), 422],
        null: [least('"min_output_tokens":null'), 422],
        "with an amount": [least('"min_output_tokens":1,"cost_usd":"1"'), 422],
        twice: [least('"min_output_tokens":9,"min_output_tokens":1,"max_output_tokens":2'), 200],
      }),
    );
  });

  test("units", async () => {
    await call("PUT", `/v1/orgs/${org.id}/models/u`, {
      key: org.ownerKey,
      body: {
        input_usd_per_mtok: "1",
        output_usd_per_mtok: "1",
        units: { web_search: "0.01", "a.b-c_9": "2" },
      },
    });
    const units = (value: string, more = "") => `{"model":"u","estimate":{"units":${value}${more}}}`;
    const many = (count: number) =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, at) => [`u${at}`, 0])));
    await expectAnswers(
      bodies({
        one: [units('{"web_search":1}'), 200],
        several: [units('{"web_search":3,"a.b-c_9":2}'), 200],
        none: [units("{}"), 200],
        zero: [units('{"web_search":0,"unheard":0}'), 200],
        "with tokens": [units('{"web_search":1}', ',"input_tokens":5'), 200],
        "with an amount": [units('{"unheard":1}', ',"cost_usd":"1"'), 200],
        "with the least output": [units('{"web_search":1}', ',"min_output_tokens":5'), 200],
        "most names": [units(many(50)), 200],
        "too many names": [units(many(51)), 422],
        most: [units('{"web_search":1000000000000}'), 422],
        "too many": [units('{"web_search":1000000000001}'), 422],
        negative: [units('{"web_search":-1}'), 422],
        fraction: [units('{"web_search":1.5}'), 422],
        text: [units('{"web_search":"1"}'), 422],
        null: [units("null"), 422],
        list: [units("[1]"), 422],
        number: [units("1"), 422],
        nested: [units('{"web_search":{"a":1}}'), 422],
        "no price": [units('{"image":1}'), 422],
        "upper case": [units('{"Web":1}'), 422],
        "an empty name": [units('{"":1}'), 422],
        "a prototype": [units('{"__proto__":1}'), 422],
        "of an object": [units('{"constructor":1}'), 422],
        twice: [units('{"web_search":"x","web_search":1}'), 200],
        "no model": ['{"estimate":{"units":{"web_search":1}}}', 422],
      }),
    );
  });

  test("hold times and dry runs", async () => {
    const { least, most } = DECISION.holdSeconds;
    await expectAnswers(
      bodies({
        "hold a second too short": [text({ hold_seconds: least - 1 }), 422],
        "hold shortest": [text({ hold_seconds: least }), 200],
        "hold longest": [text({ hold_seconds: most }), 200],
        "hold a second too long": [text({ hold_seconds: most + 1 }), 422],
        "hold half a second": [text({ hold_seconds: 30.5 }), 422],
        "hold text": [text({ hold_seconds: "60" }), 422],
        "hold null": [text({ hold_seconds: null }), 422],
        "dry run": [text({ dry_run: true }), 200],
        "no dry run": [text({ dry_run: false }), 200],
        "dry run as a number": [text({ dry_run: 1 }), 422],
        "dry run as text": [text({ dry_run: "true" }), 422],
        "dry run null": [text({ dry_run: null }), 422],
      }),
    );
  });

  test("what is checked against more than limits", async () => {
    const governed = await newOrg();
    const rule = { target: "model", effect: "deny", when: 'model == "bad"', reason: "not cleared" };
    const send = (method: string, path: string, body: object) =>
      call(method, `/v1/orgs/${governed.id}${path}`, { key: governed.ownerKey, body });
    expect((await send("POST", "/policy-rules", rule)).status).toBe(201);
    const sent = (more: object) => ({ key: governed.ownerKey, body: text({ model: "bad", ...more }) });
    const long = { input: "x".repeat(20_000) };
    const messages = [
      { role: "system", content: [{ type: "text", text: "Répondez en français {json} 😀" }] },
      { role: "user", content: "Write to jo@example.com" },
    ];
    const cases: Cases = {
      "no checks": [sent({ checks: "none" }), 422],
      "checks of another type": [sent({ checks: ["all"] }), 422],
      "no such end": [sent({ on_expiry: "forget" }), 422],
      chain: [sent({ chain: { chain_id: "x" } }), 200],
      "with a long input": [sent(long), 200],
      "with a long input, against all": [sent({ checks: "all", model: "good", ...long }), 200],
      "long without input": [sent({ action: long.input }), 413],
      "input that is nested too deeply": [
        {
          key: governed.ownerKey,
          body: text({ input: 0 }).replace(":0", `:${"[".repeat(40)}${"]".repeat(40)}`),
        },
        422,
      ],
      "input with half a pair": [
        { key: governed.ownerKey, body: text({ input: 0 }).replace(":0", ':["\\ud800"]') },
        422,
      ],
      approval: [sent({ approval_id: "apr_x" }), 200],
      "unknown approval": [sent({ checks: "all", approval_id: "apr_x" }), 422],
      tags: [sent({ tags: { a: "b" } }), 200],
    };
    await expectAll(cases);
    await expectAll({
      user: [sent({ user_id: "u" }), 200],
      provider: [sent({ provider: "p" }), 200],
      "checked against all": [sent({ checks: "all" }), 403],
      "another model": [sent({ checks: "all", model: "good" }), 200],
      "no model": [{ key: governed.ownerKey, body: text({ checks: "all" }) }, 422],
      "checked against limits": [sent({ checks: "limits" }), 200],
      "given back when it expires": [sent({ on_expiry: "release" }), 200],
      "charged when it expires": [sent({ on_expiry: "charge" }), 200],
      "messages that no detector reads": [sent({ input: messages }), 200],
    });
    const detectors = [{ id: "email", kind: "builtin", action: "block" }];
    expect((await send("PUT", "/content-safety", { detectors })).status).toBe(200);
    const scanned = (input: unknown) => sent({ checks: "all", model: "good", input });
    await expectAll({
      "text that passes": [scanned("Summarise {this} [1]"), 200],
      "text with what is not ASCII": [scanned("Grüße 😀"), 200],
      "text that a detector blocks": [scanned("Write to jo@example.com"), 403],
      "messages that a detector blocks": [scanned(messages), 403],
      "messages that pass": [scanned(messages.slice(0, 1)), 200],
      "an object": [scanned({ a: { b: { c: { d: "e" } } } }), 200],
      nothing: [scanned(null), 200],
      "spelled with escapes": [
        {
          key: governed.ownerKey,
          body: text({ checks: "all", model: "good", input: "?" }).replace("?", "jo\\u0040example.com"),
        },
        403,
      ],
    });
    expect((await send("PATCH", "", { decision_defaults: { checks: "all" } })).status).toBe(200);
    await expectAll({
      "by the org's default": [sent({}), 403],
      "against the org's default": [sent({ checks: "limits" }), 200],
    });
  });

  test("the form of the body", async () => {
    const deep = "[".repeat(40) + "]".repeat(40);
    await expectAnswers(
      bodies({
        empty: ["", 422],
        "no JSON": ["{", 422],
        "empty object": ["{}", 422],
        array: [`[${text({})}]`, 422],
        null: ["null", 422],
        text: ['"a"', 422],
        "estimate null": ['{"estimate":null}', 422],
        "estimate array": ['{"estimate":[]}', 422],
        "estimate text": ['{"estimate":"1"}', 422],
        "estimate empty": ['{"estimate":{}}', 422],
        "estimate empty text": ['{"estimate":""}', 422],
        "estimate number": ['{"estimate":5}', 422],
        "estimate boolean": ['{"estimate":true}', 422],
        "estimate missing": ['{"action":"a"}', 422],
        "unknown field": [text({ extra: 1 }), 422],
        "unknown field in the estimate": [JSON.stringify({ estimate: { ...COST, extra: 1 } }), 422],
        "named as in a prototype": ['{"constructor":1,"estimate":{"cost_usd":"1"}}', 422],
        prototype: ['{"__proto__":{},"estimate":{"cost_usd":"1"}}', 422],
        "prototype with the estimate": ['{"__proto__":{"estimate":{"cost_usd":"1"}}}', 422],
        "estimate of a prototype": ['{"estimate":{"toString":1,"cost_usd":"1"}}', 422],
        "sent twice": ['{"action":"a","action":"b","estimate":{"cost_usd":"1"}}', 200],
        "bad, then good": ['{"action":5,"action":"b","estimate":{"cost_usd":"1"}}', 200],
        "good, then bad": ['{"action":"b","action":5,"estimate":{"cost_usd":"1"}}', 422],
        "estimate twice": ['{"estimate":{"cost_usd":"5"},"estimate":{"cost_usd":"1"}}', 200],
        "deep, then good": [`{"action":${deep},"action":"b","estimate":{"cost_usd":"1"}}`, 422],
        "deep objects, then good": [
          `{"action":${'{"a":'.repeat(40)}1${"}".repeat(40)},"action":"b","estimate":{"cost_usd":"1"}}`,
          422,
        ],
        "half a pair, then good": ['{"action":"\\ud800","action":"b","estimate":{"cost_usd":"1"}}', 422],
        "half a pair": [text({}).replace("{", '{"action":"\\ud800",'), 422],
        "a whole pair": [text({}).replace("{", '{"model":"\\ud83d\\ude00",'), 200],
        "white space": [` \r\n\t${text({})}\n`, 200],
        "no-break space": [`\u00a0${text({})}`, 422],
        comment: [`${text({})}//`, 422],
      }),
    );
  });

  test("bytes", async () => {
    const bytes = (...parts: (string | number)[]) =>
      new Uint8Array(
        parts.flatMap((part) => (typeof part === "number" ? part : [...new TextEncoder().encode(part)])),
      );
    const bom = [0xef, 0xbb, 0xbf];
    await expectAnswers({
      "a mark of the byte order": [{ body: bytes(...bom, text({})) }, 200],
      "two marks": [{ body: bytes(...bom, ...bom, text({})) }, 422],
      "no UTF-8": [{ body: bytes('{"action":"', 0xff, '","estimate":{"cost_usd":"1"}}') }, 422],
      "no UTF-8, then good": [
        { body: bytes('{"action":"', 0xff, '","action":"a","estimate":{"cost_usd":"1"}}') },
        422,
      ],
      "half a character": [{ body: bytes('{"action":"', 0xc3, '","estimate":{"cost_usd":"1"}}') }, 422],
      "a surrogate in UTF-8": [
        { body: bytes('{"model":"', 0xed, 0xa0, 0x80, '","estimate":{"cost_usd":"1"}}') },
        422,
      ],
      "U+FFFD as such": [
        { body: bytes('{"model":"', 0xef, 0xbf, 0xbd, '","estimate":{"cost_usd":"1"}}') },
        200,
      ],
      "UTF-16": [{ body: bytes(0xff, 0xfe, ..."{}".split("").flatMap((char) => [char, 0])) }, 422],
      "a zero byte": [{ body: bytes(text({}), 0) }, 422],
    });
  });

  test("the size of the body", async () => {
    const most = DECISION.mostBodyBytes;
    const padded = (size: number) => text({}).padEnd(size, " ");
    const wide = `{"action":"${"é".repeat(most / 2)}","action":"a","estimate":{"cost_usd":"1"}}`;
    const endless = () =>
      new ReadableStream({
        async pull(stream) {
          await scheduler.wait(1);
          stream.enqueue(new Uint8Array(1024));
        },
      });
    const stalled = () => new ReadableStream({ pull: () => new Promise<void>(() => {}) });
    const chunked = { "content-length": null };
    await expectAnswers({
      largest: [{ body: padded(most) }, 200],
      "too large": [{ body: padded(most + 1) }, 413],
      "too large, and says less": [{ body: padded(most + 1), headers: { "content-length": "40" } }, 413],
      "too large in bytes alone": [{ body: wide, headers: { "content-length": "40" } }, 413],
      "too large by a mark of the byte order": [{ body: `\uFEFF${padded(most - 1)}` }, 413],
      "chunked largest": [{ body: padded(most), headers: chunked }, 200],
      "chunked too large": [{ body: padded(most + 1), headers: chunked }, 413],
      "chunked without end": [{ body: endless, headers: chunked }, 413],
      "far too large, and never sent": [{ body: stalled, headers: { "content-length": "1000000000" } }, 413],
      "no body": [{ body: null, headers: chunked }, 422],
      "broken off": [
        {
          body: () => new ReadableStream({ pull: (stream) => stream.error(new Error("gone")) }),
          headers: { "content-length": "40" },
        },
        400,
      ],
    });
  });
});
