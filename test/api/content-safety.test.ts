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
])("a detector is refused with all that it lacks: %o", async ([detector, fields]) => {
  const org = await newSpender();
  const refused = await org.send("PUT", "content-safety", { detectors: [detector] });
  expect([refused.status, refused.body.error.details.fields]).toEqual([422, fields]);
});

test.for([null, 5, "email", []])(
  "a detector that is no object is refused by its place: %o",
  async (detector) => {
    const org = await newSpender();
    const refused = await org.send("PUT", "content-safety", { detectors: [detector] });
    expect([refused.status, refused.body.error.details.fields[0].field]).toEqual([422, "detectors[0]"]);
  },
);

test("a sign-in connection of no kind is told the kinds that there are", async () => {
  const org = await newSpender();
  const refused = await org.send("PUT", "sso", {});
  expect(refused.body.error.details.fields).toEqual([
    { field: "kind", code: "required", message: "must be oidc or saml" },
  ]);
});
