import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { governedFetch, type GovernedFetchOptions, Refused, Unreachable } from "../../src/adapters/fetch.ts";
import type { CallGate } from "../../src/adapters/governed-call.ts";
import { wavOf } from "../support/recordings.ts";

const gate: CallGate = {
  decide: async () => ({ reservation: { id: "rsv_1", amount_usd: "9", max_output_tokens: 300 } }) as never,
  settle: () => undefined,
  release: async () => undefined,
  knownFacts: null,
};

test("an answer tells the bound that its request got, and no other", async () => {
  const answer = async (max_tokens?: number) => {
    const body = JSON.stringify({ model: "gpt-4o", messages: [], max_tokens });
    const headers = { "x-sluice-max-output-tokens": "7" };
    const fetch = async () => new Response("{}", { headers });
    return governedFetch({ gate, fetch })("https://api.openai.com/v1/chat/completions", {
      method: "POST",
      body,
    });
  };
  expect((await answer()).headers.get("x-sluice-max-output-tokens")).toBe("300");
  expect((await answer(50)).headers.has("x-sluice-max-output-tokens")).toBe(false);
});

/** What is asked and sent for a call at an address. */
async function called(url: string, body: object, options: Partial<GovernedFetchOptions> = {}) {
  const asked: Parameters<CallGate["decide"]>[0][] = [];
  const sent: string[] = [];
  const watched: CallGate = { ...gate, decide: (ask) => (asked.push(ask), gate.decide(ask)) };
  const fetch = async (to: string | URL | Request) => (sent.push(new Request(to).url), new Response("{}"));
  const send = governedFetch({ gate: watched, fetch, ...options });
  const answer = await send(url, { method: "POST", body: JSON.stringify(body) });
  return { answer, asked, sent };
}

test("a usage above the bound is charged in full at the provider's own address, and cut at any other", async () => {
  const usage = {
    prompt_tokens: 650_000,
    completion_tokens: 9,
    prompt_tokens_details: { cached_tokens: 325_000 },
  };
  const body = JSON.stringify({
    model: "gpt-4o",
    messages: [{ role: "user", content: "hi" }],
    max_tokens: 50,
  });
  const chargeAt = async (url: string) => {
    const settled: Parameters<CallGate["settle"]>[1][] = [];
    const watched: CallGate = { ...gate, settle: (_, run) => void settled.push(run) };
    const fetch = async () => Response.json({ choices: [], usage });
    const answer = await governedFetch({ gate: watched, fetch, provider: "openai" })(url, {
      method: "POST",
      body,
    });
    await answer.text();
    return settled[0];
  };
  expect(await chargeAt("https://api.openai.com/v1/chat/completions")).toMatchObject({
    usage: { input_tokens: 650_000, cache_read_tokens: 325_000 },
    estimated: false,
  });
  expect(await chargeAt("https://llm.example.com/v1/chat/completions")).toMatchObject({
    usage: { input_tokens: 128_000, cache_read_tokens: 64_000 },
    estimated: true,
  });
});

describe("a deployment at Azure", () => {
  const url = "https://acme.openai.azure.com/openai/deployments/fast/chat/completions?api-version=1";

  test("names the model that its body leaves out", async () => {
    const { asked, sent } = await called(url, { messages: [] }, { deployments: { fast: "gpt-4o-mini" } });
    expect(asked).toMatchObject([{ model: "gpt-4o-mini" }]);
    expect(sent).toEqual([url]);
  });

  test("is its own model where nothing else is known", async () => {
    expect((await called(url, { messages: [] })).asked).toMatchObject([{ model: "fast" }]);
  });
});

describe("a path", () => {
  test("that can be read in two ways is not passed on", async () => {
    for (const path of [
      "/v1//chat/completions",
      "/v1/%2e%2e/v1/models",
      "/v1/files;/v1/models",
      "/x%2fv1/models",
    ]) {
      const { answer, sent } = await called(`https://api.openai.com${path}`, {});
      expect([path, answer.status, sent]).toEqual([path, 403, []]);
    }
  });

  test("that would hide what is billed is not sent", async () => {
    const host = "https://generativelanguage.googleapis.com";
    const url = `${host}/v1beta/models/gemini-2.5-flash:generateContent?key=mine`;
    const body = { contents: [{ parts: [{ text: "hi" }] }] };
    const refused = await called(`${url}&fields=candidates`, body);
    expect([refused.answer.status, refused.sent]).toEqual([403, []]);
    expect((await called(url, body)).sent).toEqual([url]);
  });

  test("that returns credentials is never passed on, also where it ends like another", async () => {
    const { answer } = await called("https://host.test/v1/organization/v1/models", {});
    expect(await answer.text()).toContain("never passed on");
    expect(() => governedFetch({ gate, otherPaths: { "POST /v1/realtime/sessions": "1" } })).toThrow(
      /credentials/,
    );
  });
});

const unavailable = new Refused(
  { code: "service_unavailable", message: "No.", details: {} },
  new Response(null, { status: 503 }),
);

test.each([
  ["a gate that cannot reach the service", new Unreachable("away", {})],
  ["a service that cannot decide and does not say for how long", unavailable],
])("%s answers 503 with a time to come again", async (_, error) => {
  const away: CallGate = { ...gate, decide: () => Promise.reject(error) };
  const body = { model: "gpt-4o", messages: [] };
  const { answer, sent } = await called("https://api.openai.com/v1/chat/completions", body, { gate: away });
  expect([answer.status, answer.headers.get("retry-after"), sent]).toEqual([503, "1", []]);
});

describe("a caller that goes before the answer", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const GRACE_MS = 500;
  const USAGE = { prompt_tokens: 5, completion_tokens: 77 };
  const END = `data: ${JSON.stringify({ choices: [], usage: USAGE })}\n\ndata: [DONE]\n\n`;
  const STREAM = { "content-type": "text/event-stream" };

  /** A call whose caller goes at once. The provider answers after a while, or never. */
  function left(stream: boolean, answersMs: number, options: Partial<GovernedFetchOptions> = {}) {
    const settled: Parameters<CallGate["settle"]>[1][] = [];
    const stopped: boolean[] = [];
    const fetch = (_: unknown, init?: RequestInit): Promise<Response> =>
      new Promise((resolve, reject) => {
        const answer = stream
          ? new Response(END, { headers: STREAM })
          : Response.json({ choices: [], usage: USAGE });
        setTimeout(() => resolve(answer), answersMs);
        init?.signal?.addEventListener("abort", () => (stopped.push(true), reject(new Error("stopped"))));
      });
    const watched: CallGate = { ...gate, settle: (_, run) => void settled.push(run) };
    const caller = new AbortController();
    const send = governedFetch({ gate: watched, fetch, leaveGraceMs: GRACE_MS, ...options });
    const body = JSON.stringify({ model: "gpt-4o", stream, max_tokens: 50, messages: [] });
    const { signal } = caller;
    const answered = send("https://api.openai.com/v1/chat/completions", { method: "POST", body, signal });
    const gone = answered.catch((error: unknown) => error);
    return { settled, stopped, gone, leave: () => caller.abort(new Error("gone")) };
  }

  test("is told so at once, and has a stream stopped after the grace, at the price of its input", async () => {
    const { settled, stopped, gone, leave } = left(true, 3_600_000);
    await vi.advanceTimersByTimeAsync(1);
    leave();
    expect(await gone).toMatchObject({ message: "gone" });
    await vi.advanceTimersByTimeAsync(GRACE_MS - 1);
    expect([stopped, settled]).toEqual([[], []]);
    await vi.advanceTimersByTimeAsync(1);
    expect(stopped).toEqual([true]);
    expect(settled).toMatchObject([{ outcome: "cancelled", estimated: true, usage: { output_tokens: 0 } }]);
    expect(settled[0]?.usage?.input_tokens).toBeGreaterThan(0);
  });

  test.each([
    ["a stream that comes within the grace", true, GRACE_MS - 10, {}],
    ["a stream that is read to its end", true, 10 * GRACE_MS, { onLeave: "finish" as const }],
    ["an answer that is no stream", false, 10 * GRACE_MS, {}],
  ])("pays for %s by its usage", async (_, stream, answersMs, options) => {
    const { settled, gone, leave } = left(stream, answersMs, options);
    await vi.advanceTimersByTimeAsync(1);
    leave();
    expect(await gone).toMatchObject({ message: "gone" });
    await vi.advanceTimersByTimeAsync(answersMs + 10);
    expect(settled).toMatchObject([{ outcome: "completed", estimated: false }]);
  });
});

describe("what goes on", () => {
  const sentFor = async (url: string, init: RequestInit): Promise<Request> => {
    const sent: Request[] = [];
    const fetch = async (to: string | URL | Request, given?: RequestInit) => {
      sent.push(new Request(to, given));
      return new Response("{}");
    };
    const answer = await governedFetch({ gate, fetch })(url, { method: "POST", ...init });
    expect([answer.status, await answer.text()]).toEqual([200, "{}"]);
    const [request] = sent;
    if (request === undefined) throw new Error("nothing was sent");
    return request;
  };

  test("is the body that was read, with its bound", async () => {
    const body = ' {"model":"gpt-4o",\n"messages":[ ] , "seed":7}';
    const headers = { "content-type": "text/plain" };
    const request = await sentFor("https://api.openai.com/v1/chat/completions", { body, headers });
    expect(request.headers.get("content-type")).toBe("application/json");
    const read = {
      model: "gpt-4o",
      messages: [],
      seed: 7,
      max_completion_tokens: 300,
      service_tier: "default",
    };
    expect(await request.text()).toBe(JSON.stringify(read));
  });

  test("is routed to no host that alone costs more than the reservation, where its provider chooses hosts", async () => {
    const priced = async (url: string, more: object = {}) => {
      const bodies: { provider?: { max_price: Record<string, number> } }[] = [];
      const fetch = async (to: string | URL | Request, given?: RequestInit) => {
        bodies.push(await new Request(to, given).json());
        return new Response("{}");
      };
      const body = JSON.stringify({
        model: "openai/gpt-4o",
        messages: [{ role: "user", content: "hi" }],
        ...more,
      });
      await governedFetch({ gate, fetch })(url, { method: "POST", body });
      return bodies[0]?.provider?.max_price;
    };
    const openrouter = "https://openrouter.ai/api/v1/chat/completions";
    const price = await priced(openrouter, { max_tokens: 100 });
    // The gate reserves 9 dollars.
    expect(price?.["completion"]).toBe(90_000);
    expect(price?.["prompt"]).toBeGreaterThan(90_000);
    expect((await priced(openrouter))?.["completion"]).toBe(30_000);
    expect(await priced("https://api.together.xyz/v1/chat/completions")).toBeUndefined();
  });

  test("is the form that was read, with a boundary of its own", async () => {
    const form = [
      "--cut",
      'content-disposition: form-data; name="model"',
      "",
      "whisper-1",
      "--cut",
      'content-disposition: form-data; name="file"; filename="a.wav"',
      "",
      Buffer.from(wavOf({ seconds: 0.01 })).toString("latin1"),
      "--cut--",
      'content-disposition: form-data; name="model"',
      "",
      "another",
    ].join("\r\n");
    const headers = { "content-type": "multipart/form-data; boundary=cut" };
    const url = "https://api.openai.com/v1/audio/transcriptions";
    const request = await sentFor(url, { body: form, headers });
    expect(request.headers.get("content-type")).not.toContain("boundary=cut");
    const text = await request.clone().text();
    expect(text).not.toContain("another");
    expect((await request.formData()).getAll("model")).toEqual(["whisper-1"]);
  });
});

test("a transcript in plain text is charged by the length of its recording", async () => {
  const settled: object[] = [];
  const watched: CallGate = { ...gate, settle: (_, run) => void settled.push(run) };
  const fetch = async () =>
    new Response("The harbour opens at six.", { headers: { "content-type": "text/plain" } });
  const body = new FormData();
  for (const [name, value] of [
    ["model", "whisper-1"],
    ["response_format", "text"],
  ] as const)
    body.set(name, value);
  body.set("file", new File([wavOf({ seconds: 60, rate: 16_000, bits: 16 })], "a.wav"));
  const answer = await governedFetch({ gate: watched, fetch })(
    "https://api.openai.com/v1/audio/transcriptions",
    {
      method: "POST",
      body,
    },
  );
  expect(await answer.text()).toBe("The harbour opens at six.");
  await vi.waitFor(() => expect(settled).toHaveLength(1));
  expect(settled).toMatchObject([{ usage: { units: { audio_second: 60 } }, estimated: true }]);
});
