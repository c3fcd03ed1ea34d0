import { expect, test } from "vitest";
import { chaosOptions } from "../../scripts/chaos/options.ts";
import { Complaint } from "../../scripts/complaint.ts";

test("options come from the command or, without `--`, from npm; a seed is chosen if there is none", () => {
  const given = { seconds: 5, kills: 2, seed: 9, plant: "lost-report" };
  const args = ["--seconds", "5", "--kills", "2", "--seed", "9", "--plant", "lost-report"];
  expect(chaosOptions(args, {})).toEqual(given);
  const npm = { npm_config_seconds: "5", npm_config_kills: "2", npm_config_seed: "9" };
  expect(chaosOptions([], npm)).toEqual({ ...given, plant: null });
  expect(chaosOptions([], {})).toEqual({
    seconds: 60,
    kills: 0,
    seed: expect.any(Number),
    plant: null,
  });
});

test.for([["--plant", "nothing"], ["--seconds=-1"], ["--seed", "x"], ["--kills", "1.5"], ["--forever"]])(
  "%o is refused with the way to use it",
  (args) => {
    expect(() => chaosOptions(args, {})).toThrow(Complaint);
    expect(() => chaosOptions(args, {})).toThrow("Use: npm run chaos -- ");
  },
);
