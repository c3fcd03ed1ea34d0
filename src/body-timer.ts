import type { Timer } from "./domain/body/timed.ts";

/** The runtime's own time, for bodies that are read. */
export const bodyTimer: Timer = {
  now: () => Date.now(),
  after(ms, call) {
    const timer = setTimeout(call, ms);
    return () => clearTimeout(timer);
  },
};
