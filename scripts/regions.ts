/** `npm run regions`: two regions on this machine, each with its own objects and database, and example calls. */
import { Complaint, endWith, run } from "./complaint.ts";
import { regionsFolderPath } from "./data-folder.ts";
import { type Server, startServer } from "./server.ts";
import { onceToldToStop, outliveFullOutput, wholeNumber } from "./start-options.ts";

await run(async () => {
  const running: { server?: Server } = {};
  outliveFullOutput();
  onceToldToStop(async () => running.server?.dispose());
  const server = await startServer({
    port: wholeNumber("PORT", 8787, 0, 65_534),
    regions: ["eu", "us"],
    dataDir: regionsFolderPath(process.env),
    settings: process.env,
    onRemark: (line) => console.error(line),
    onLost: endWith,
  });
  running.server = server;
  try {
    console.log(await welcome(server));
  } catch (error) {
    await server.dispose();
    throw error;
  }
});

async function welcome(server: Server): Promise<string> {
  const [eu, us = ""] = server.urls;
  const operatorKey = server.settings["SVC_OPERATOR_KEY"] ?? "";
  const made = await fetch(`${us}/v1/admin/orgs`, {
    method: "POST",
    headers: { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" },
    body: JSON.stringify({ name: "Home in eu", home_region: "eu" }),
  });
  if (made.status !== 201) throw new Complaint(`no org: ${made.status} ${await made.text()}`);
  const { org, owner_key: key } = (await made.json()) as { org: { id: string }; owner_key: string };
  const curl = (url: string, more = "") => `  curl -i ${url} -H 'Authorization: Bearer ${key}'${more}`;
  return [
    `Sluice is running: region eu at ${eu}, region us at ${us} (press Ctrl-C to stop)`,
    "",
    `  org          ${org.id} (home region eu, created through us)`,
    `  owner key    ${key}`,
    `  operator key ${operatorKey}`,
    `  data, log    ${server.folder.path}`,
    "",
    "A write sent to us is forwarded to eu (x-svc-region: eu):",
    curl(
      `${us}/v1/orgs/${org.id}/budgets`,
      json("POST", { scope_kind: "org", limit_usd: "1000.00", period: "month", mode: "enforce" }),
    ),
    "",
    "A read is served where it arrives (x-svc-region: us):",
    curl(`${us}/v1/orgs/${org.id}`),
    "",
    "So is a decision. Under steady traffic the isolate decides (x-svc-decided: edge):",
    "  for i in $(seq 100); do",
    `  ${curl(`${us}/v1/edge/decision`, `${json("POST", { estimate: { cost_usd: "0.01" } })} -s`)}`,
    "  done | grep x-svc-decided | sort | uniq -c",
    "",
    "Restrict the org to eu, and us refuses its calls with residency_violation:",
    curl(`${eu}/v1/orgs/${org.id}/residency`, json("PUT", { regions: ["eu"] })),
    curl(`${us}/v1/orgs/${org.id}`),
  ].join("\n");
}

function json(method: string, body: object): string {
  return ` \\\n    -X ${method} -H 'Content-Type: application/json' -d '${JSON.stringify(body)}'`;
}
