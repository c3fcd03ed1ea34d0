import { Complaint } from "../complaint.ts";

/** What was waited for and did not come. A run that ends by it has this as its verdict. */
export class TooLate extends Complaint {
  constructor(what: string, seconds: number) {
    super(`VIOLATION no end: ${what}: not within ${seconds} seconds`);
  }
}

/** Every wait has a bound. `what` says what was waited for when the bound was reached. */
export async function inTime<T>(seconds: number, what: () => string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new TooLate(what(), seconds)), seconds * 1000);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
}
