import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { Complaint } from "../../scripts/complaint.ts";
import { dataFolderPath, emptyDataFolder, openDataFolder } from "../../scripts/data-folder.ts";
import { temporaryFolder } from "../support/folder.ts";

test("a data folder serves one process at a time, and is free again once closed", () => {
  const path = temporaryFolder();
  const first = openDataFolder(path);
  expect(() => openDataFolder(path)).toThrow(/another server is using the data folder/);
  first.close();
  openDataFolder(path).close();
});

test.for(["/dev/null/data", "/proc/data", "/proc/1/deep/data", "package.json"])(
  "%s, which cannot be created, is refused by name",
  (path) => {
    expect(() => openDataFolder(path)).toThrow(Complaint);
    expect(() => openDataFolder(path)).toThrow(path);
  },
);

test("a new data folder is private to its owner", () => {
  const path = join(temporaryFolder(), "deep/data");
  openDataFolder(path).close();
  expect(statSync(path).mode & 0o777).toBe(0o700);
});

const rights = (path: string): number => statSync(path).mode & 0o777;

test("an existing folder that is open to others becomes private to its owner, with all its contents", () => {
  const path = temporaryFolder();
  const files = ["secrets.env", "demo.json", "sluice.log", "sluice.log.1", "pepper.mark"];
  for (const name of files) writeFileSync(join(path, name), "x", { mode: 0o666 });
  mkdirSync(join(path, "state"));
  for (const name of ["state", "."]) chmodSync(join(path, name), 0o777);
  openDataFolder(path).close();
  expect([rights(path), rights(join(path, "state"))]).toEqual([0o700, 0o700]);
  expect([...files, "lock"].map((name) => rights(join(path, name)))).toEqual(
    Array.from({ length: files.length + 1 }, () => 0o600),
  );
});

test("a folder that others share is refused and left unchanged", () => {
  const shared = temporaryFolder();
  chmodSync(shared, 0o1777);
  expect(() => openDataFolder(shared)).toThrow(/accessible to other users[^]*SLUICE_DATA_DIR/);
  expect(statSync(shared).mode & 0o7777).toBe(0o1777);
  const projects = temporaryFolder();
  mkdirSync(join(projects, "my-project"));
  chmodSync(projects, 0o755);
  expect(() => openDataFolder(projects)).toThrow(/accessible to other users/);
  expect(rights(projects)).toBe(0o755);
  expect(readdirSync(projects)).toEqual(["my-project"]);
});

test("emptying leaves no data behind", () => {
  const folder = openDataFolder(temporaryFolder());
  writeFileSync(folder.demo, "{}");
  writeFileSync(folder.secrets, "A=b");
  folder.close();
  emptyDataFolder(folder.path);
  expect(readdirSync(folder.path)).toEqual(["lock"]);
  expect(existsSync(folder.demo)).toBe(false);
});

/** Every file of a folder, with its rights and its content. */
function filesIn(folder: string): unknown {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((one) => one.isFile());
  return files.map(({ parentPath, name }) => {
    const at = join(parentPath, name);
    return [at, rights(at), statSync(at).mtimeMs, readFileSync(at, "utf8")];
  });
}

test.for([null, "2"])(
  "a folder with databases in another form (%j) is refused and left unchanged, and can be emptied",
  (format) => {
    const path = temporaryFolder();
    mkdirSync(join(path, "state/v3/d1"), { recursive: true });
    writeFileSync(join(path, "state/v3/d1/database.sqlite"), "rows", { mode: 0o644 });
    writeFileSync(join(path, "demo.json"), "{}", { mode: 0o644 });
    if (format !== null) writeFileSync(join(path, "format"), format);
    const before = filesIn(path);
    expect(() => openDataFolder(path)).toThrow(/before the first release[^]*npm run reset/);
    expect(filesIn(path)).toEqual(before);
    emptyDataFolder(path);
    openDataFolder(path).close();
    expect(readFileSync(join(path, "format"), "utf8")).toBe("1");
    writeFileSync(join(path, "state/database.sqlite"), "rows");
    openDataFolder(path).close();
  },
);

test("the folder is .sluice unless SLUICE_DATA_DIR names another", () => {
  expect(dataFolderPath({})).toBe(join(process.cwd(), ".sluice"));
  expect(dataFolderPath({ SLUICE_DATA_DIR: "" })).toBe(join(process.cwd(), ".sluice"));
  expect(dataFolderPath({ SLUICE_DATA_DIR: "/var/x" })).toBe("/var/x");
});
