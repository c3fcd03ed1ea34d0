import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Watch } from "../../src/proxy/watch.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const SILENCE_MS = 100;
const ANSWER_MS = 1000;

test("a provider that is silent for too long is stopped, and not before", () => {
  const watch = new Watch(SILENCE_MS, ANSWER_MS);
  vi.advanceTimersByTime(SILENCE_MS - 1);
  expect(watch.hasStopped).toBe(false);
  vi.advanceTimersByTime(1);
  expect([watch.hasStopped, watch.signal.aborted]).toEqual([true, true]);
});

test("a provider that is heard goes on, until it has answered for too long", () => {
  const watch = new Watch(SILENCE_MS, ANSWER_MS);
  for (let atMs = 60; atMs < ANSWER_MS; atMs += 60) {
    vi.advanceTimersByTime(60);
    watch.noteChunk();
    expect([atMs, watch.hasStopped]).toEqual([atMs, false]);
  }
  vi.advanceTimersByTime(ANSWER_MS % 60);
  expect(watch.hasStopped).toBe(true);
});

test("an answer that has ended is stopped no more", () => {
  const watch = new Watch(SILENCE_MS, ANSWER_MS);
  watch.end();
  vi.advanceTimersByTime(2 * ANSWER_MS);
  expect(watch.hasStopped).toBe(false);
});
