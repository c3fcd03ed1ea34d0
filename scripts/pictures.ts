/** `npm run pictures`: the pictures of the console in `docs/pictures`, taken in Chromium of the company that is seeded. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Complaint, run } from "./complaint.ts";
import { ensureDemo } from "./demo.ts";
import { startServer } from "./server.ts";
import { ROOT } from "./worker-config.ts";

const CHROMIUM = "/usr/bin/chromium";
const SHOTS = [
  ["console-overview", "/console"],
  ["console-budgets", "/console/budgets"],
  ["console-refusals", "/console/refusals"],
] as const;

await run(async () => {
  const dataDir = mkdtempSync(join(tmpdir(), "sluice-pictures-"));
  const server = await startServer({ port: 0, dataDir, withNorthwind: true });
  try {
    const { northwind_org_id: org } = await ensureDemo(server);
    if (org === undefined) throw new Complaint("Northwind was not seeded");
    const browser = await chromium.launch({
      executablePath: CHROMIUM,
      args: ["--no-sandbox", "--disable-gpu"],
    });
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 }, colorScheme: "light" });
    await page.goto(server.signInLink(org));
    for (const [name, path] of SHOTS) {
      await page.goto(server.urls[0] + path);
      await page.screenshot({ path: join(ROOT, "docs/pictures", `${name}.png`) });
    }
    await browser.close();
  } finally {
    await server.dispose();
    rmSync(dataDir, { recursive: true, force: true });
  }
});
