// Owns how the demo shows what happens: bars on a terminal, plain lines elsewhere.
import { MultiBar, Presets, type SingleBar } from 'cli-progress';

export interface Figures {
  readonly posted: number;
  readonly archived: number;
  readonly dead: number;
  readonly retries: number;
}

export interface Progress {
  show(figures: Figures): void;
  /** A line that must not be lost between the bars. */
  say(line: string): void;
  stop(): void;
}

export function createProgress(total: number): Progress {
  return process.stdout.isTTY ? new Bars(total) : new Lines(total);
}

class Bars implements Progress {
  readonly #bars: MultiBar;
  readonly #posted: SingleBar;
  readonly #ended: SingleBar;

  constructor(total: number) {
    const format = '  {what} {bar} {value}/{total} {note}';
    this.#bars = new MultiBar({ format, hideCursor: true, gracefulExit: false, barsize: 30 }, Presets.shades_classic);
    this.#posted = this.#bars.create(total, 0, { what: 'posted  ', note: '' });
    this.#ended = this.#bars.create(total, 0, { what: 'finished', note: '' });
  }

  show({ posted, archived, dead, retries }: Figures): void {
    this.#posted.update(posted);
    this.#ended.update(archived + dead, { note: `${archived} archived, ${dead} dead, ${retries} retries` });
  }

  say(line: string): void {
    this.#bars.log(`${line}\n`);
  }

  stop(): void {
    this.#bars.stop();
  }
}

class Lines implements Progress {
  readonly #total: number;
  #last = '';

  constructor(total: number) {
    this.#total = total;
  }

  show({ posted, archived, dead, retries }: Figures): void {
    const line = `posted ${posted}/${this.#total}, archived ${archived}, dead ${dead}, retries ${retries}`;
    if (line === this.#last) return;
    this.#last = line;
    this.say(line);
  }

  say(line: string): void {
    process.stdout.write(`  ${line}\n`);
  }

  stop(): void {}
}
