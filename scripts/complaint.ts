/** An error that the user can fix: shown as one line, without a stack. */
export class Complaint extends Error {}

/** Runs a script's body. A complaint becomes one line on stderr and exit status 1. */
export async function run(body: () => Promise<void> | void): Promise<void> {
  try {
    await body();
  } catch (error) {
    if (!(error instanceof Complaint)) throw error;
    endWith(error);
  }
}

export function endWith(complaint: Complaint): void {
  console.error(`sluice: ${complaint.message}`);
  process.exit(1);
}
