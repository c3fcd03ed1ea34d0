import { describe, expect, test } from "vitest";

import type { SamlAttempt } from "../../../src/web/saml/request.ts";
import { finishSaml } from "../../../src/web/saml/response.ts";
import { timesAsLong } from "../../support/fastest.ts";
import { CONNECTION, encoded, issue, NOW, SERVICE } from "./provider.ts";

const ATTEMPT: SamlAttempt = { idpEntityId: CONNECTION.idpEntityId, requestId: "_request1" };
/** As often as a usual response, at most. Parsing a flood takes a thousand times as long. */
const MOST_TIMES = 40;

const finish = (sent: string) =>
  finishSaml({ connection: CONNECTION, service: SERVICE, attempt: ATTEMPT, sent, nowMs: NOW });

/** Placed where nothing is signed, so that only the flood can be the reason for the refusal. */
async function flooded(flood: string): Promise<string> {
  const xml = await issue(ATTEMPT.requestId);
  return encoded(xml.replace("</samlp:Response>", `${flood}</samlp:Response>`));
}

const FLOODS: Record<string, string> = {
  "16,000 small elements": "<a/>".repeat(16_000),
  "elements that fit in the size and are too many": "<a/>".repeat(401),
  "elements inside one another": `${"<a>".repeat(40)}${"</a>".repeat(40)}`,
  "one element of many attributes": `<a ${Array.from({ length: 17 }, (_, n) => `a${n}="1"`).join(" ")}/>`,
  "many elements of some attributes":
    `<a ${Array.from({ length: 13 }, (_, n) => `a${n}=""`).join(" ")}/>`.repeat(101),
  "many namespaces": `<a ${Array.from({ length: 17 }, (_, n) => `xmlns:n${n}="urn:${n}"`).join(" ")}/>`,
  "an endless attribute": `<a b="${"x".repeat(5_000)}"/>`,
  "text beyond any size": "x".repeat(70_000),
  "an entity": "<a>&lol;</a>",
  "a flood of comments": "<!---->".repeat(2_000),
  "a flood of instructions": "<?x?>".repeat(2_000),
};

async function expectRefusedAtOnce(sent: string): Promise<void> {
  expect(await finish(sent)).toEqual({ ok: false, failure: "response_malformed" });
  const plain = await flooded("");
  const times = await timesAsLong(
    () => finish(sent),
    () => finish(plain),
    MOST_TIMES,
  );
  expect(times).toBeLessThan(MOST_TIMES);
}

describe("a response that would keep a parser busy is refused before it is parsed:", () => {
  test.each(Object.entries(FLOODS))("%s", async (_, flood) => {
    await expectRefusedAtOnce(await flooded(flood));
  });

  test("spaces that are not base64", async () => {
    await expectRefusedAtOnce(`AAAA${" ".repeat(95_000)}%`);
  });
});

test("the largest response that is parsed takes little longer than any other", async () => {
  const value = `<a ${Array.from({ length: 16 }, (_, n) => `xmlns:n${n}="urn:n"`).join(" ")}/>`;
  const nested = `${"<b>".repeat(14)}${"</b>".repeat(14)}`;
  const [plain, largest] = [await flooded(""), await flooded(value.repeat(60) + nested + "<a/>".repeat(280))];
  expect(await finish(largest)).toMatchObject({ ok: true });
  const times = await timesAsLong(
    () => finish(largest),
    () => finish(plain),
    MOST_TIMES,
  );
  expect(times).toBeLessThan(MOST_TIMES);
});

test("a person in many groups, each its own value, can sign in", async () => {
  const values = Array.from(
    { length: 300 },
    (_, n) =>
      `<saml:AttributeValue xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:type="xs:string">group-${n}</saml:AttributeValue>`,
  );
  const groups = `<saml:AttributeStatement><saml:Attribute Name="groups">${values.join("")}</saml:Attribute></saml:AttributeStatement>`;
  const result = await finish(encoded(await issue(ATTEMPT.requestId, { statements: groups })));
  expect(result).toMatchObject({ ok: true });
});
