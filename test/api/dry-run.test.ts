import { describe, expect, test } from "vitest";
import { routeOf } from "../../src/contract/operation.ts";
import { CONTRACTS } from "../../src/operations.ts";
import { SAMPLE_BODIES } from "../support/sample-bodies.ts";
import { newOrg, type TestOrg, call, operatorKey } from "../support/worker.ts";

const DRY = { "x-svc-dry-run": "true" };
const tried = CONTRACTS.filter(({ dryRun }) => dryRun === true);

const NAMES: Readonly<Record<string, string>> = { provider: "openai", model: "acme%2Fm9", name: "nightly" };

function pathOf(path: string, org: TestOrg, id = "none"): string {
  return path
    .replaceAll(/\{(id|org_id)\}/g, org.id)
    .replaceAll(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? id);
}

/** All that an org has stored that a change could have touched. */
async function standing(org: TestOrg): Promise<string> {
  const lists = [
    "budgets",
    "customer-limits",
    "policy-rules",
    "models",
    "webhooks",
    "provider-keys",
    "exports",
  ];
  const ones = ["spend-cap", "chain-budget", "content-safety", "routing-policy", "retention-policy"];
  const paths = [...lists, ...ones, "events", "rate-limits"];
  const read = await Promise.all(
    paths.map((path) => call("GET", `/v1/orgs/${org.id}/${path}`, { key: org.ownerKey })),
  );
  const shown = read.map(({ status, text }) => (status === 200 ? text : String(status))).join("\n");
  const { body } = await call("GET", `/v1/orgs/${org.id}/audit-log`, { key: org.ownerKey });
  const actions = body.data.map(({ action }: { action: string }) => action);
  const changes = actions.filter((action: string) => action !== "audit.read");
  return `${shown.replaceAll(/"read_used":\d+/g, "")}\n${changes}`;
}

describe("a dry run", () => {
  test.each(tried.filter(({ method }) => method !== "PATCH" && method !== "DELETE").map(routeOf))(
    "of %s answers as the change would, and leaves nothing",
    async (route) => {
      const [method = "", path = ""] = route.split(" ");
      const org = await newOrg();
      const key = path.startsWith("/v1/admin") ? operatorKey() : org.ownerKey;
      const before = await standing(org);
      const body = SAMPLE_BODIES[route];
      const headers = { ...DRY, "idempotency-key": "one" };
      const dry = await call(method, pathOf(path, org), { key, body, headers });
      expect([dry.status, dry.headers.get("x-svc-dry-run")]).toEqual([method === "POST" ? 201 : 200, "true"]);
      expect(await standing(org)).toBe(before);
      // The key was not used up, and the change gets the answer that was shown.
      const made = await call(method, pathOf(path, org), {
        key,
        body,
        headers: { "idempotency-key": "one" },
      });
      expect([made.status, made.headers.get("x-svc-dry-run")]).toEqual([dry.status, null]);
      expect(Object.keys(made.body).toSorted()).toEqual(Object.keys(dry.body).toSorted());
      expect(await standing(org)).not.toBe(before);
    },
  );

  test("of a change or a deletion is refused as that would be, and changes nothing", async () => {
    const org = await newOrg();
    const made = await call("POST", `/v1/orgs/${org.id}/budgets`, {
      key: org.ownerKey,
      body: { name: "a", scope_kind: "org", limit_usd: "5", period: "month" },
    });
    const path = `/v1/orgs/${org.id}/budgets/${made.body.id}`;
    const before = await standing(org);
    const send = (method: string, headers: object, body?: object) =>
      call(method, path, { key: org.ownerKey, body, headers: { ...DRY, ...headers } });
    expect((await send("PATCH", {}, { limit_usd: "9" })).body.limit_usd).toBe("9.00");
    expect((await send("PATCH", {}, { limit_usd: "x" })).body.error.details.fields[0].field).toBe(
      "limit_usd",
    );
    expect((await send("PATCH", { "if-match": '"old"' }, { limit_usd: "9" })).body.error.code).toBe(
      "conflict",
    );
    expect((await send("DELETE", {})).status).toBe(204);
    expect((await send("DELETE", { "if-match": '"old"' })).body.error.code).toBe("conflict");
    expect(await standing(org)).toBe(before);
  });

  test("needs the rights of the change", async () => {
    const org = await newOrg();
    const viewer = await org.mint("viewer");
    const options = { key: viewer, body: { cap_usd: "1" }, headers: DRY };
    const dry = await call("PUT", `/v1/orgs/${org.id}/spend-cap`, options);
    expect([dry.status, dry.body.error.code]).toEqual([403, "forbidden"]);
  });

  test("of an operation that has none is refused, and nothing is done", async () => {
    const org = await newOrg();
    const options = { key: org.ownerKey, body: { name: "k", role: "viewer" }, headers: DRY };
    const minted = await call("POST", `/v1/orgs/${org.id}/keys`, options);
    expect([minted.status, minted.body.error.details.fields[0].field]).toEqual([422, "x-svc-dry-run"]);
    const odd = { key: org.ownerKey, body: { cap_usd: "1" }, headers: { "x-svc-dry-run": "no" } };
    expect((await call("PUT", `/v1/orgs/${org.id}/spend-cap`, odd)).status).toBe(422);
    expect((await call("GET", `/v1/orgs/${org.id}/spend-cap`, { key: org.ownerKey })).status).toBe(404);
  });
});

describe("If-None-Match: *", () => {
  test.each([
    ["spend-cap", { cap_usd: "1" }],
    ["models/acme%2Fm1", { input_usd_per_mtok: "1", output_usd_per_mtok: "1" }],
    ["provider-keys/openai", { secret: "sk-0123456789abcdef" }],
  ])("sets %s once, and refuses a second time", async (path, body) => {
    const org = await newOrg();
    const put = () =>
      call("PUT", `/v1/orgs/${org.id}/${path}`, {
        key: org.ownerKey,
        body,
        headers: { "if-none-match": "*" },
      });
    expect((await put()).status).toBe(200);
    const again = await put();
    expect([again.status, again.body.error.code]).toEqual([409, "conflict"]);
  });
});
