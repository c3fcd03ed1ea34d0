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

export interface FirstOrg {
  readonly id: string;
  /** Null: it was there already. */
  readonly key: string | null;
}

/** The platform's first org. It is made if there is none. */
export async function firstOrg(url: string, operatorKey: string, name: string): Promise<FirstOrg> {
  const headers = { authorization: `Bearer ${operatorKey}`, "content-type": "application/json" };
  const listed = await fetch(`${url}/v1/admin/orgs?limit=1&sort=created_at`, { headers });
  if (listed.status !== 200) {
    throw new Complaint(
      `${url}/v1/admin/orgs answered ${listed.status}: is SVC_OPERATOR_KEY the one that was deployed?`,
    );
  }
  const { data } = (await listed.json()) as { data: { id: string }[] };
  const [first] = data;
  if (first !== undefined) return { id: first.id, key: null };
  const made = await fetch(`${url}/v1/admin/orgs`, {
    method: "POST",
    headers,
    body: JSON.stringify({ name }),
  });
  if (made.status !== 201) throw new Complaint(`the first org could not be created: ${await made.text()}`);
  const { org, owner_key: key } = (await made.json()) as { org: { id: string }; owner_key: string };
  return { id: org.id, key };
}
