import { Complaint } from "../complaint.ts";

const ATTEMPTS = 30;
const PAUSE_MS = 2000;

/** Waits until what was deployed answers. A new address may take a minute to work everywhere. */
export async function waitUntilHealthy(url: string): Promise<void> {
  let last = "";
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    try {
      const answer = await fetch(`${url}/healthz`, {
        redirect: "manual",
        signal: AbortSignal.timeout(10_000),
      });
      if (answer.status === 200) return;
      last = `status ${answer.status}`;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  throw new Complaint(
    `${url}/healthz does not answer with 200 (${last}). The Worker is deployed; check its routes and logs`,
  );
}

/** The key of a new org, if the platform has none. Null if it has. */
export async function firstOrgKey(url: string, operatorKey: string, name: string): Promise<string | null> {
  const headers = { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" };
  const listed = await fetch(`${url}/v1/admin/orgs?limit=1`, { headers });
  if (listed.status !== 200) {
    throw new Complaint(
      `${url}/v1/admin/orgs answered ${listed.status}: is SVC_OPERATOR_KEY the one that was deployed?`,
    );
  }
  const { data } = (await listed.json()) as { data: unknown[] };
  if (data.length > 0) return null;
  const made = await fetch(`${url}/v1/admin/orgs`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
  });
  if (made.status !== 201) throw new Complaint(`the first org could not be created: ${await made.text()}`);
  const { owner_key: key } = (await made.json()) as { owner_key: string };
  return key;
}
