import { describe, expect, test } from "vitest";
import { SMALL_KEY } from "../support/small-service.ts";
import { sluiceCommand } from "../support/sluice-command.ts";

/** `sluice tail` against lists that grow between its looks. */

interface Listed {
  readonly id: string;
  readonly created_at: string;
  readonly at: string;
}

const PAGE = 200;

/** The nth thing that happened, a second after the one before. */
function nth(kind: "refusals" | "events", at: number): Listed {
  const time = new Date(Date.UTC(2026, 10, 1) + at * 1000).toISOString();
  const own =
    kind === "events"
      ? { type: "key.created", data: { at } }
      : { code: "rate_limited", limit: "l", amount_usd: "0.05", trace_id: `t${at}`, model: null };
  return { id: `${kind}-${at}`, created_at: time, at: time, ...own };
}

/** Runs `tail`. Before each look but the first, `grow` says what has happened by then, or null to end. */
async function tail(
  args: readonly string[],
  first: readonly Listed[],
  grow: (look: number) => Listed[] | null,
) {
  const happened = [...first];
  const asked: number[] = [];
  let looks = 0;
  const { code, out, error } = await sluiceCommand(["tail", ...args], {
    url: "https://sluice.test",
    key: SMALL_KEY,
    waits: async () => {
      const more = grow((looks += 1));
      happened.push(...(more ?? []));
      return more !== null;
    },
    fetch: async (url) => {
      const { pathname, searchParams } = new URL(url);
      const kind = pathname.split("/").at(-1) ?? "";
      const all = happened.filter(({ id }) => id.startsWith(kind)).toReversed();
      const from = Number(searchParams.get("cursor") ?? "0");
      asked[looks] = (asked[looks] ?? 0) + 1;
      const next = from + PAGE < all.length ? String(from + PAGE) : null;
      return Response.json({ data: all.slice(from, from + PAGE), next_cursor: next });
    },
  });
  const [head = "", ...lines] = out.split("\n").slice(0, -1);
  return { code, head, lines: args.includes("--json") ? [head, ...lines] : lines, asked, error };
}

const events = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => nth("events", from + at));
const numbers = (lines: readonly string[]) => lines.map((line) => / at=(\d+)/.exec(line)?.[1]);

describe("sluice tail", () => {
  test("begins with the last ten, or as many as were asked for", async () => {
    const ended = () => null;
    expect(numbers((await tail([], events(0, 30), ended)).lines)).toEqual(
      Array.from({ length: 10 }, (_, at) => String(20 + at)),
    );
    expect((await tail(["--lines", "0"], events(0, 30), ended)).lines).toEqual([]);
    expect((await tail(["--lines", "25"], events(0, 30), ended)).lines).toHaveLength(25);
  });

  test("shows each refusal and event once, in the order in which they happened", async () => {
    const more = [[nth("refusals", 31), nth("events", 30)], [], [nth("events", 32)]];
    const { head, lines } = await tail(["--lines", "0"], events(0, 30), (look) => more[look - 1] ?? null);
    expect([head, ...lines]).toEqual([
      "TIME                      KIND     NAME                             USD  DETAILS",
      "2026-11-01T00:00:30.000Z  event    key.created                           at=30",
      "2026-11-01T00:00:31.000Z  refused  rate_limited                    0.05  limit=l trace=t31",
      "2026-11-01T00:00:32.000Z  event    key.created                           at=32",
    ]);
  });

  test("shows all of a burst over several pages", async () => {
    const { lines, error } = await tail(["--lines", "0"], events(0, 5), (look) =>
      look === 1 ? events(5, 505) : null,
    );
    expect([lines.length, error]).toEqual([500, ""]);
    expect(numbers(lines)[0]).toBe("5");
  });

  test("says so where more came than it shows, and asks for no more than that", async () => {
    const { lines, error, asked } = await tail(["--lines", "0"], events(0, 5), (look) =>
      look === 1 ? events(5, 5005) : null,
    );
    expect(lines).toHaveLength(1000);
    expect(numbers(lines).at(-1)).toBe("5004");
    expect(error).toContain("more than 1000 came at once: some are not shown");
    expect(asked[1]).toBeLessThan(10);
  });

  test("ends after the first lines with --no-follow, and writes JSON with --json", async () => {
    const { lines, asked } = await tail(["--no-follow", "--json", "--lines", "1"], events(0, 3), (look) =>
      look < 3 ? [] : null,
    );
    expect(lines.map((line) => (JSON.parse(line) as Listed).id)).toEqual(["events-2"]);
    expect(asked).toHaveLength(1);
  });
});
