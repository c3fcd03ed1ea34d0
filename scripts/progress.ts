/** Nobody should look at a silent terminal for longer than three seconds. */
const SILENT_MS = 2000;
const TICK_MS = 250;
/** A step that begins so soon after the last line is not worth one of its own. */
const SOON_MS = 1000;

interface ProgressOptions {
  /** Whether each step is announced, because it takes its time. */
  readonly isFirst: boolean;
  readonly steps: number;
  readonly say: (line: string) => void;
}

/** Says what a start is doing while somebody waits for it. A start that is quick says nothing. */
export class Progress {
  readonly #options: ProgressOptions;
  readonly #timer: NodeJS.Timeout;
  #saidAt = performance.now();
  #begunAt = 0;
  #begun = 0;
  #what = "";

  constructor(options: ProgressOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#tick(), TICK_MS).unref();
  }

  readonly step = (what: string): void => {
    this.#begun += 1;
    this.#what = what;
    this.#begunAt = performance.now();
    if (this.#options.isFirst || this.#begunAt - this.#saidAt >= SOON_MS) this.#say(`${what}…`);
  };

  end(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    const now = performance.now();
    if (this.#what === "" || now - this.#saidAt < SILENT_MS) return;
    this.#say(`still ${this.#what}, after ${Math.round((now - this.#begunAt) / 1000)} s`);
  }

  #say(line: string): void {
    this.#saidAt = performance.now();
    this.#options.say(`… ${this.#begun} of ${this.#options.steps}: ${line}`);
  }
}
