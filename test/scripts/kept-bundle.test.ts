import { readdirSync, utimesSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { keptBundle } from "../../scripts/kept-bundle.ts";
import { ROOT } from "../../scripts/worker-config.ts";
import { temporaryFolder } from "../support/folder.ts";

/** A bundle of one file, as often as it is made. */
function bundles() {
  const folder = temporaryFolder();
  const source = join(temporaryFolder(), "source.ts");
  writeFileSync(source, "1");
  let made = 0;
  const make = async (during = () => {}) => {
    made += 1;
    during();
    return { text: `bundle ${made}`, from: [relative(ROOT, source)] };
  };
  return {
    folder,
    source,
    make: (name = "worker", during?: () => void) => keptBundle(name, () => make(during), folder),
  };
}

/** The clock that stamps files is coarse. */
async function nextTick(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 60));
}

describe("a kept bundle", () => {
  it("is made once for all starts, and once more for another entry", async () => {
    const { make, folder } = bundles();
    await nextTick();
    expect([await make(), await make(), await make("proxy"), await make()]).toEqual([
      "bundle 1",
      "bundle 1",
      "bundle 2",
      "bundle 1",
    ]);
    expect(readdirSync(folder)).toHaveLength(2);
  });

  it("is made again when a file changed, even one of the same size and time", async () => {
    const { make, source } = bundles();
    await nextTick();
    const then = new Date("2026-01-01");
    utimesSync(source, then, then);
    await nextTick();
    expect(await make()).toBe("bundle 1");
    await nextTick();
    writeFileSync(source, "2");
    utimesSync(source, then, then);
    await nextTick();
    expect([await make(), await make()]).toEqual(["bundle 2", "bundle 2"]);
  });

  it("is the same for files that were written anew with the same content, as an install does", async () => {
    const { make, source } = bundles();
    await nextTick();
    await make();
    await nextTick();
    writeFileSync(source, "1");
    await nextTick();
    expect(await make()).toBe("bundle 1");
  });

  it("is not kept if a file changed while it was made", async () => {
    const { make, source } = bundles();
    await nextTick();
    expect(await make("worker", () => writeFileSync(source, "2"))).toBe("bundle 1");
    await nextTick();
    expect(await make()).toBe("bundle 2");
  });

  it("is made again if what was kept is broken, or cannot be kept", async () => {
    const { make, folder } = bundles();
    await nextTick();
    await make();
    for (const name of readdirSync(folder)) writeFileSync(join(folder, name), "{");
    expect(await make()).toBe("bundle 2");
    const nowhere = () =>
      keptBundle("worker", async () => ({ text: "x", from: [] }), join(ROOT, "package.json/nowhere"));
    expect(await nowhere()).toBe("x");
  });
});
