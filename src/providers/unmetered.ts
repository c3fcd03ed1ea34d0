/** Thrown where a request cannot be metered. The message says why, to whoever sent it. */
export class Unmetered extends Error {
  readonly status: 400 | 403 | 413;

  constructor(status: 400 | 403 | 413, message: string) {
    super(message);
    this.status = status;
  }
}
