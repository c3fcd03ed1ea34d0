import { assert, constantFrom, integer, property, string } from "fast-check";
import { describe, expect, test } from "vitest";
import { SCOPES } from "../../../src/contract/access.ts";
import { SUPPORT_SCOPES } from "../../../src/contract/lists.ts";
import { mintOrgToken, orgOfToken, tokenDigest } from "../../../src/domain/key/org-token.ts";
import {
  isLive,
  SESSION_IDLE_MS,
  SESSION_MAX_MS,
  sessionEnd,
  shouldNote,
} from "../../../src/domain/people/session.ts";
import { supportRefusal } from "../../../src/domain/people/support.ts";

const PEPPER = "pepper-for-tests-0123456789abcdefghij";
const ORG = "org_01ARZ3NDEKTSV4RRFFQ69G5FAV";

describe("a session", () => {
  const moment = integer({ min: 0, max: 40 * 3_600_000 });

  test("ends after twelve hours, after an hour without use, or when revoked", () => {
    assert(
      property(moment, moment, moment, (created, seen, now) => {
        const times = { createdAt: created, lastSeenAt: created + seen, revokedAt: null };
        const live = isLive(times, now);
        expect(live).toBe(now < sessionEnd(times));
        expect(live && now >= created + SESSION_MAX_MS).toBe(false);
        expect(live && now >= created + seen + SESSION_IDLE_MS).toBe(false);
        expect(isLive({ ...times, revokedAt: created }, now)).toBe(false);
      }),
    );
  });

  test("in use is recorded before it would expire as unused", () => {
    const times = { createdAt: 0, lastSeenAt: 0, revokedAt: null };
    expect(shouldNote(times, 59_999)).toBe(false);
    expect(shouldNote(times, 60_000)).toBe(true);
  });
});

describe("a token", () => {
  test("names its org with the right pepper, for its own kind only", () => {
    const token = mintOrgToken(PEPPER, "session", ORG);
    expect(orgOfToken(PEPPER, "session", token)).toBe(ORG);
    expect(orgOfToken(PEPPER, "support", token)).toBeNull();
    expect(orgOfToken(`${PEPPER}!`, "session", token)).toBeNull();
    expect(tokenDigest(PEPPER, token)).not.toContain(token);
  });

  test("that was changed or forged names no org", () => {
    const token = mintOrgToken(PEPPER, "support", ORG);
    assert(
      property(
        integer({ min: 0, max: token.length - 1 }),
        string({ minLength: 1, maxLength: 1 }),
        (at, put) => {
          const changed = token.slice(0, at) + put + token.slice(at + 1);
          expect(changed === token ? ORG : null).toBe(orgOfToken(PEPPER, "support", changed));
        },
      ),
    );
    assert(
      property(string(), (made) => {
        expect(orgOfToken(PEPPER, "support", made)).toBeNull();
      }),
    );
  });
});

test("no support scope ever reaches a change, a key, or another grant", () => {
  const method = constantFrom("POST", "PUT", "PATCH", "DELETE", "GET", "HEAD");
  const role = constantFrom("viewer", "developer", "admin", "owner", "operator");
  assert(
    property(
      constantFrom(...SUPPORT_SCOPES),
      method,
      constantFrom(...SCOPES),
      role,
      (grant, asked, scope, needed) => {
        const reached = supportRefusal(grant, { method: asked, scope, role: needed }) === null;
        const reads = (asked === "GET" || asked === "HEAD") && scope.endsWith(":read") && needed === "viewer";
        expect(reached && !reads).toBe(false);
        expect(reached && (scope === "keys:read" || scope === "support:read")).toBe(false);
      },
    ),
  );
});
