import { expect, test } from "vitest";
import { LeaseLedger } from "../../../src/gate/lease/lease-ledger.ts";
import { LeaseClient } from "../../../src/gate/lease/lease-client.ts";

const LIFE_MS = 1000;
const LINGER_MS = 900_000;

/** A book in which one isolate has a slice that it may use for a second from 0 on. */
function leasedBook(): LeaseLedger {
  const book = new LeaseLedger();
  const leaseClient = new LeaseClient<never>("holder");
  const slice = leaseClient.slice("a");
  for (let call = 0; call < 8; call += 1) leaseClient.miss(slice, 10);
  const terms = () => ({ limit: 1_000_000n, used: 0n, lifeMs: LIFE_MS, lingerMs: LINGER_MS });
  expect(book.settle(leaseClient.ask(0), terms, 0)?.grant.slices.get("a")?.add).toBeGreaterThan(0n);
  return book;
}

const orphansAt = (book: LeaseLedger, now: number) => book.sweep(now).orphans.length;

test("a clock that moves after a slice was last usable brings the end of its holds nearer by as much", () => {
  const book = leasedBook();
  book.moveAhead(LINGER_MS - 10, LIFE_MS);
  expect([orphansAt(book, LIFE_MS + 9), orphansAt(book, LIFE_MS + 10)]).toEqual([0, 1]);
});

test("a clock that moves while a slice is in use does not: holds may yet be made from it, by the new clock", () => {
  const book = leasedBook();
  book.moveAhead(10 * LINGER_MS, LIFE_MS - 1);
  expect([orphansAt(book, LIFE_MS + LINGER_MS - 1), orphansAt(book, LIFE_MS + LINGER_MS)]).toEqual([0, 1]);
});
