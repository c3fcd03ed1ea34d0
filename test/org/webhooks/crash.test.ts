import { env, runInDurableObject } from "cloudflare:test";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { arrivedAt, failing, hanging, newSubscriber, receivedAt, receiver } from "../../support/receivers.ts";
import { everythingStored } from "../../support/rows.ts";

const objectOf = (orgId: string) => (env as { ORG: DurableObjectNamespace }).ORG.getByName(orgId);

/** Ends the object abruptly, as a deploy or a broken machine would. */
async function kill(orgId: string): Promise<void> {
  const killed = runInDurableObject(objectOf(orgId), (_object, state) => state.abort("killed by a test"));
  await killed.catch(() => undefined);
}

describe("an object that goes down", () => {
  test("while a receiver is answering makes the same attempt again", async () => {
    const org = await newSubscriber();
    const stuck = hanging();
    const url = receiver(stuck.answer);
    const { id } = await org.subscribe(url);
    const { body } = await org.ask("POST", `/webhooks/${id}/test`);
    await arrivedAt(url, 1);
    await kill(org.id);
    stuck.release();
    await org.advance(31);
    const [first, second, ...more] = receivedAt(url);
    expect(more).toEqual([]);
    expect(second?.body).toBe(first?.body);
    for (const name of ["x-svc-event-id", "x-svc-delivery-id", "x-svc-delivery-attempt", "webhook-id"]) {
      expect(second?.headers.get(name)).toBe(first?.headers.get(name));
    }
    expect(await org.deliveries(id)).toMatchObject([{ id: body.id, status: "succeeded", attempts: 1 }]);
  });

  test("at any moment loses no event and changes no order", async () => {
    const step = fc.constantFrom("event", "kill", "wait");
    const history = fc.array(step, { minLength: 4, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(history, fc.nat(3), async (steps, failures) => {
        const org = await newSubscriber();
        const url = receiver(failing(failures));
        const { id } = await org.subscribe(url);
        const made: string[] = [];
        for (const next of steps) {
          if (next === "event") made.push((await org.ask("POST", `/webhooks/${id}/test`)).body.event_id);
          else if (next === "kill") await kill(org.id);
          else await org.advance(31);
        }
        for (let i = 0; i <= failures; i++) await org.advance(3000);
        const arrived = receivedAt(url).map(({ event }) => event.id);
        expect([...new Set(arrived)]).toEqual(made);
        const statuses = (await org.deliveries(id)).map(({ status }) => status);
        expect(statuses).toEqual(made.map(() => "succeeded"));
      }),
      { numRuns: 5 },
    );
  });
});

test("no secret is stored in plain text", async () => {
  const org = await newSubscriber();
  const { id, secret = "?" } = await org.subscribe(receiver());
  const rotated = await org.ask("POST", `/webhooks/${id}/signing/rotate`);
  const stored = await everythingStored(org.id);
  for (const shown of [secret, rotated.body.secret as string]) {
    expect(stored).not.toContain(shown);
    expect(stored).not.toContain(shown.slice("whsec_".length));
  }
});

test("events for a disabled webhook are kept as long as the delivery log, and no longer", async () => {
  const org = await newSubscriber();
  const [off, on] = [await org.subscribe(receiver(failing(99))), await org.subscribe(receiver(failing(99)))];
  for (const { id } of [off, on]) await org.ask("POST", `/webhooks/${id}/test`);
  await org.settle();
  await org.ask("PATCH", `/webhooks/${off.id}`, { status: "disabled" });
  const policy = { runs_days: 30, audit_days: 90, deliveries_days: 7, legal_hold: false };
  expect((await org.ask("PUT", "/retention-policy", policy)).status).toBe(200);
  await org.advance(6 * 86_400);
  expect(await org.deliveries(off.id)).toHaveLength(1);
  await org.advance(2 * 86_400);
  expect(await org.deliveries(off.id)).toEqual([]);
  expect(await org.deliveries(on.id)).toMatchObject([{ status: "pending" }]);
});
