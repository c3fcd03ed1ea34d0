import { existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Complaint } from "../../scripts/complaint.ts";
import { dataFolderPath, openDataFolder } from "../../scripts/data-folder.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a data folder serves one process at a time, and is free again once closed", () => {
  const path = temporaryFolder();
  const first = openDataFolder(path);
  expect(() => openDataFolder(path)).toThrow(/another server is running on the data folder/);
  first.close();
  openDataFolder(path).close();
});

test.for(["/dev/null/data", "/proc/data", "/proc/1/deep/data"])(
  "%s, which cannot be made, is refused by name",
  (path) => {
    expect(() => openDataFolder(path)).toThrow(Complaint);
    expect(() => openDataFolder(path)).toThrow(path);
  },
);

test("a new data folder is its owner's alone", () => {
  const path = join(temporaryFolder(), "deep/data");
  openDataFolder(path).close();
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

test("emptying leaves nothing of the data behind", () => {
  const folder = openDataFolder(temporaryFolder());
  writeFileSync(folder.demo, "{}");
  writeFileSync(folder.secrets, "A=b");
  folder.empty();
  folder.close();
  expect(readdirSync(folder.path)).toEqual(["lock"]);
  expect(existsSync(folder.demo)).toBe(false);
});

test("the folder is .sluice unless SLUICE_DATA_DIR names another", () => {
  expect(dataFolderPath({})).toBe(join(process.cwd(), ".sluice"));
  expect(dataFolderPath({ SLUICE_DATA_DIR: "" })).toBe(join(process.cwd(), ".sluice"));
  expect(dataFolderPath({ SLUICE_DATA_DIR: "/var/x" })).toBe("/var/x");
});
