// Owns the progress that a person watches while lines are sent: on a terminal only, beside the output.
import { SingleBar } from 'cli-progress';
import type { Tally } from './tally.ts';

const FIGURES = '{stored} stored · {duplicates} duplicates · {refused} refused · {duration_formatted}{note}';

export class Progress {
  readonly #tally: Tally;
  readonly #bar: SingleBar | undefined;
  #note = '';

  /** `totalBytes` is null when nobody knows how much there will be. */
  constructor(tally: Tally, totalBytes: number | null) {
    this.#tally = tally;
    if (!process.stderr.isTTY) return;
    const format = totalBytes === null ? FIGURES : `{bar} {percentage}% · ${FIGURES}`;
    this.#bar = new SingleBar({ format, stream: process.stderr, hideCursor: true, gracefulExit: false });
    this.#bar.start(totalBytes ?? 0, 0, this.#figures());
  }

  show(bytesRead: number): void {
    this.#note = '';
    this.#bar?.update(bytesRead, this.#figures());
  }

  /** Says why it does not go on at the moment; without a terminal once per cause. */
  wait(cause: string): void {
    if (!this.#bar && cause !== this.#note) process.stderr.write(`${cause}; trying again\n`);
    this.#note = cause;
    this.#bar?.update(this.#figures());
  }

  end(): void {
    this.#bar?.update(this.#figures());
    this.#bar?.stop();
  }

  #figures(): object {
    const { stored, duplicates, refused } = this.#tally;
    return { stored, duplicates, refused, note: this.#note && ` · ${this.#note}; trying again` };
  }
}
