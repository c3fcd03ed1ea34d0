import { expect, test } from "vitest";
import { newSpender } from "../support/ledger.ts";

const KINDS = "must be builtin or pattern";
const missing = (field: string) => ({
  field: `detectors[0].${field}`,
  code: "required",
  message: "is required",
});

test.for<[object, object[]]>([
  [{}, [{ ...missing("kind"), message: KINDS }, missing("id"), missing("action")]],
  [{ id: "email" }, [{ ...missing("kind"), message: KINDS }, missing("action")]],
  [
    { id: "email", action: "block", kind: "regex" },
    [{ field: "detectors[0].kind", code: "invalid_value", message: KINDS }],
  ],
  [
    { action: "block", kind: 5 },
    [{ field: "detectors[0].kind", code: "invalid_type", message: KINDS }, missing("id")],
  ],
  [{ kind: "builtin" }, [missing("id"), missing("action")]],
  [{ kind: "pattern" }, [missing("id"), missing("pattern"), missing("action")]],
])("a detector is refused with every missing field named: %o", async ([detector, fields]) => {
  const org = await newSpender();
  const refused = await org.send("PUT", "content-safety", { detectors: [detector] });
  expect([refused.status, refused.body.error.details.fields]).toEqual([422, fields]);
});

test.for([null, 5, "email", []])(
  "a detector that is not an object is refused, naming its position: %o",
  async (detector) => {
    const org = await newSpender();
    const refused = await org.send("PUT", "content-safety", { detectors: [detector] });
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "detectors[0]"]);
  },
);

test("invisible characters hide nothing from a detector", async () => {
  const org = await newSpender();
  const email = { id: "email", kind: "builtin", action: "block" };
  const own = { id: "word", kind: "pattern", pattern: "forbidden", action: "block" };
  expect((await org.send("PUT", "content-safety", { detectors: [email, own] })).status).toBe(200);
  const hidden =
    "ad 34f 61c 115f 1160 17b4 180e 200b 202e 2060 2066 2069 206a 3164 fe0f feff ffa0 fffa 1d173 e0001 e0041 e0100 0 1 7f 9c";
  for (const code of hidden.split(" ")) {
    const mark = String.fromCodePoint(Number.parseInt(code, 16));
    for (const input of [`jane@ex${mark}ample.com`, `for${mark}bid${mark.repeat(40)}den`]) {
      const refused = await org.run({ input });
      expect([code, refused.status]).toEqual([code, 403]);
    }
  }
  const seen = "for\tbidden for\nbidden for\u0085bidden for bidden f\u00f6rbidden";
  expect((await org.run({ input: seen })).status).toBe(201);
});

test("a sign-in connection without a kind is refused with the list of kinds", async () => {
  const org = await newSpender();
  const refused = await org.send("PUT", "sso", {});
  expect(refused.body.error.details.fields).toEqual([
    { field: "kind", code: "required", message: "must be oidc or saml" },
  ]);
});
