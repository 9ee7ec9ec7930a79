// Owns the account of an `enqueue`: what became of every line, as figures while it runs and as the summary at its end.

export interface RefusedLine {
  readonly line: number;
  readonly reason: string;
}

/** Why sending ended early, and the lines that are not known to be stored. */
export interface Stop {
  readonly reason: string;
  readonly unsettled: { readonly from: number; readonly to: number; readonly jobs: number };
}

export class Tally {
  readonly #startedAt = performance.now();
  readonly #refused: RefusedLine[] = [];
  #stop: Stop | null = null;
  stored = 0;
  duplicates = 0;

  get refused(): number {
    return this.#refused.length;
  }

  refuse(line: number, reason: string): void {
    this.#refused.push({ line, reason });
  }

  stopped(stop: Stop): void {
    this.#stop = stop;
  }

  get isComplete(): boolean {
    return this.#refused.length === 0 && this.#stop === null;
  }

  toJSON() {
    const { stored, duplicates } = this;
    return { stored, duplicates, refused: this.#inOrder(), stopped: this.#stop, durationMs: this.#durationMs() };
  }

  toString(): string {
    const seconds = (this.#durationMs() / 1_000).toFixed(1);
    const duplicates = `${this.duplicates} duplicate${this.duplicates === 1 ? '' : 's'}`;
    const lines = [`${this.stored} stored, ${duplicates}, ${this.refused} refused in ${seconds} s`];
    for (const { line, reason } of this.#inOrder()) lines.push(`  line ${line}: ${reason}`);
    if (this.#stop) lines.push(`Stopped: ${this.#stop.reason}.`, explain(this.#stop.unsettled));
    return lines.join('\n');
  }

  #inOrder(): RefusedLine[] {
    return this.#refused.toSorted((one, other) => one.line - other.line);
  }

  #durationMs(): number {
    return Math.round(performance.now() - this.#startedAt);
  }
}

function explain({ from, to, jobs }: Stop['unsettled']): string {
  return [
    `Of the lines ${from} to ${to}, ${jobs} are not known to be stored, and no later one was sent.`,
    'Enqueue them again; it is safe for lines with an id or an idempotencyKey of their own.',
  ].join(' ');
}
