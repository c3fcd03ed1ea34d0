import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createProxy } from "../../src/proxy/index.ts";
import { KeyGates } from "../../src/proxy/key-gates.ts";
import { SMALL_KEY, SmallService } from "../support/small-service.ts";

/** Answers that the proxy makes by itself, without its provider. */

function started() {
  const lines: object[] = [];
  const proxy = createProxy({
    binding: new SmallService(),
    orgs: "*",
    providers: { anthropic: { key: "sk-ant-0123456789" }, openai: { key: "sk-0123456789" } },
    fetch: () => Promise.reject(new Error("no provider is called")),
    log: (line) => void lines.push(line),
  });
  const send = (method: string, path: string, headers: Record<string, string> = {}) =>
    proxy.fetch(new Request(`http://proxy${path}`, { method, headers }), { waitUntil: () => undefined });
  return { lines, send };
}

describe("a request for the base URL, which Claude Code makes when it starts,", () => {
  test.each(["/anthropic", "/anthropic/", "/openai"])("is answered and not logged: %s", async (path) => {
    const { lines, send } = started();
    const answer = await send("HEAD", path);
    expect([answer.status, await answer.text(), lines]).toEqual([204, "", []]);
  });

  test.each([
    ["HEAD", "/nobody"],
    ["HEAD", "/"],
    ["GET", "/anthropic"],
    ["HEAD", "/anthropic/v1/files"],
  ])("opens nothing else: %s %s", async (method, path) => {
    const { lines, send } = started();
    expect((await send(method, path)).status).toBeGreaterThanOrEqual(401);
    expect(lines).toHaveLength(1);
  });
});

test.each(["/openai/v1/chat/completions", "/anthropic/v1/messages"])(
  "the message of a 422 names the fields, for tools that show nothing else: %s",
  async (path) => {
    const { send } = started();
    const answer = await send("POST", path, { authorization: `Bearer ${SMALL_KEY}`, "x-sluice-tags": "a" });
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      {
        error: {
          code: "validation_failed",
          message:
            "Some fields are invalid: x-sluice-tags must be name=value pairs with a comma between them, each name once.",
          details: { fields: [{ field: "x-sluice-tags" }] },
        },
      },
    ]);
  },
);

test("a key whose runs wait and fill the memory gets 503, and its call reaches nobody", async () => {
  const hasRoom = vi.spyOn(KeyGates.prototype, "hasRoomFor").mockReturnValue(false);
  onTestFinished(() => hasRoom.mockRestore());
  const { send } = started();
  const answer = await send("POST", "/openai/v1/chat/completions", { authorization: `Bearer ${SMALL_KEY}` });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "5"]);
});
