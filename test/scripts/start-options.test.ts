import { afterEach, expect, test, vi } from "vitest";
import { Complaint } from "../../scripts/complaint.ts";
import { expectNoArguments, wantsNorthwind, wholeNumber } from "../../scripts/start-options.ts";

afterEach(() => void vi.unstubAllEnvs());

const port = () => wholeNumber("PORT", 8787, 0, 65_535);

test.for([
  ["", 8787],
  ["0", 0],
  ["65535", 65_535],
] as const)("PORT=%s is %i", ([given, is]) => {
  vi.stubEnv("PORT", given);
  expect(port()).toBe(is);
});

test.for(["http", "65536", "-1", "1.5", "0x10", "100000"])("PORT=%s is refused and named", (given) => {
  vi.stubEnv("PORT", given);
  expect(port).toThrow(
    new Complaint(`PORT must be a whole number from 0 to 65535, not ${JSON.stringify(given)}`),
  );
});

test("Northwind is made unless it is switched off", () => {
  const wanted = ["", "on", "off"].map((given) => {
    vi.stubEnv("SLUICE_NORTHWIND", given);
    return wantsNorthwind();
  });
  expect(wanted).toEqual([true, true, false]);
  vi.stubEnv("SLUICE_NORTHWIND", "yes");
  expect(wantsNorthwind).toThrow(new Complaint('SLUICE_NORTHWIND must be on or off, not "yes"'));
});

test("an argument is refused, and named with where settings are instead", () => {
  expect(() => expectNoArguments([])).not.toThrow();
  expect(() => expectNoArguments(["--port", "9000"])).toThrow(
    new Complaint(
      'npm start takes no arguments, such as "--port": its settings are in the environment, as in PORT=9000 npm start',
    ),
  );
});
