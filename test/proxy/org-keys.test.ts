import { expect, test } from "vitest";
import { Refused } from "../../src/client/errors.ts";
import type { GateAnswer, GateBinding } from "../../src/client/gate/index.ts";
import { accessTo, servesModel } from "../../src/proxy/credentials.ts";
import { OrgKeys } from "../../src/proxy/org-keys.ts";
import { servedProviders } from "../../src/proxy/served-providers.ts";

const KEY = { secret: "sk-1", base_url: null, headers: {}, models: null };
const found: GateAnswer = { status: 200, headers: {}, text: JSON.stringify(KEY) };
const notFound: GateAnswer = { status: 404, headers: {}, text: "{}" };
const envelope = { error: { code: "unauthorized", message: "No.", details: {} } };
const refused: GateAnswer = { status: 401, headers: {}, text: JSON.stringify(envelope) };

/** Keys whose service gives these answers in turn, and then the last one. An error is thrown. */
function keysThat(...answers: (GateAnswer | Error)[]) {
  let [asked, now] = [0, 0];
  const providerKey = async (): Promise<GateAnswer> => {
    const answer = answers[Math.min(asked, answers.length - 1)];
    asked += 1;
    if (answer instanceof Error) throw answer;
    return answer ?? notFound;
  };
  const keys = new OrgKeys("svc", { providerKey } as unknown as GateBinding, () => now);
  const advance = (ms: number) => (now += ms);
  return { keys, advance, asked: () => asked };
}

/** What goes on beside a call is over by then: nothing here waits for a clock. */
const done = () => new Promise((resolve) => setImmediate(resolve));

const secretOf = async (keys: OrgKeys) => (await keys.get("openai"))?.secret ?? null;

test("a key is asked for once by calls that come together, and known for five seconds", async () => {
  const { keys, advance, asked } = keysThat(found);
  expect(await Promise.all([secretOf(keys), secretOf(keys)])).toEqual(["sk-1", "sk-1"]);
  advance(4999);
  expect([await secretOf(keys), asked()]).toEqual(["sk-1", 1]);
});

test("that there is none is known as well", async () => {
  const { keys, asked } = keysThat(notFound);
  expect([await secretOf(keys), await secretOf(keys), asked()]).toEqual([null, null, 1]);
});

test("a key that was deleted is used until it is asked for again, by one call of many", async () => {
  const { keys, advance, asked } = keysThat(found, notFound);
  await secretOf(keys);
  advance(5000);
  expect(await Promise.all([secretOf(keys), secretOf(keys)])).toEqual(["sk-1", "sk-1"]);
  await done();
  expect(await secretOf(keys)).toBeNull();
  expect(asked()).toBe(2);
});

test("a key that nobody asked for in a minute is asked for before it is used", async () => {
  const { keys, advance } = keysThat(found, notFound);
  await secretOf(keys);
  advance(60_000);
  expect(await secretOf(keys)).toBeNull();
});

test("a key stays known while the service is away, and not for longer than a minute", async () => {
  const { keys, advance } = keysThat(found, new Error("away"));
  await secretOf(keys);
  advance(59_999);
  expect(await secretOf(keys)).toBe("sk-1");
  advance(1);
  await expect(secretOf(keys)).rejects.toMatchObject({ name: "Unreachable" });
});

test("a caller whom the service refuses gets no key, also not one that was known", async () => {
  const first = keysThat(refused);
  await expect(secretOf(first.keys)).rejects.toBeInstanceOf(Refused);
  const later = keysThat(found, refused);
  await secretOf(later.keys);
  later.advance(5000);
  await secretOf(later.keys);
  await done();
  await expect(secretOf(later.keys)).rejects.toBeInstanceOf(Refused);
});

test("without a binding there are none", async () => {
  expect(await new OrgKeys("svc", undefined).get("openai")).toBeNull();
});

test.each([
  [null, "anything", true],
  [null, undefined, true],
  [["gpt-*"], "gpt-4o", true],
  [["gpt-*"], "o3", false],
  [["gpt-4o"], "gpt-4o-mini", false],
  [["gpt-*"], undefined, false],
])("a key for %j serves %s: %s", (models, model, isServed) => {
  expect(servesModel({ ...KEY, models }, model)).toBe(isServed);
});

test("what is billed at an address that an org chose is only believed where it is a provider's own", () => {
  const providers = {
    openai: { key: "sk-1", url: "https://gateway.test", more: [{ url: "https://second.test" }] },
    azure: { key: "sk-1" },
    lab: { key: "sk-1", url: "https://lab.test", more: [{ url: "https://api.openai.com" }] },
  };
  const served = servedProviders({ providers });
  const isOther = (name: string, base_url?: string) => {
    const one = served.get(name);
    if (one === undefined) throw new Error("it is served");
    const orgKey = base_url === undefined ? null : { ...KEY, base_url };
    const access = accessTo({ ...one, path: "/" }, { own: null, orgKey });
    return [access?.isOtherHost, ...(access?.others ?? []).map((other) => other.isOtherHost)];
  };
  expect(isOther("openai")).toEqual([false, false]);
  expect(isOther("lab")).toEqual([true, false]);
  expect(isOther("openai", "https://llm.example.com")).toEqual([true]);
  expect(isOther("openai", "https://")).toEqual([true]);
  expect(isOther("openai", "https://api.openai.com")).toEqual([false]);
  expect(isOther("azure", "https://mine.openai.azure.com")).toEqual([false]);
  expect(isOther("azure", "https://mine.openai.azure.com.example.com")).toEqual([true]);
});
