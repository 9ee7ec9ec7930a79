// Owns the reading of Server-Sent Events (https://html.spec.whatwg.org/multipage/server-sent-events.html): bytes in, messages out.

export interface Message {
  readonly event: string;
  readonly data: string;
  /** That of the stream up to and with this message. */
  readonly lastEventId: string;
}

const DEFAULT_RETRY_MS = 2_000;
/** A carriage return at the end may be half of a line break. */
const LINE_BREAK = /\r\n|\n|\r(?!$)/;

export class MessageReader {
  #lastEventId: string;
  #retryMs = DEFAULT_RETRY_MS;
  #decoder = new TextDecoder();
  #text = '';
  #event = '';
  #data: string[] = [];
  #id: string;

  constructor(lastEventId = '') {
    this.#lastEventId = lastEventId;
    this.#id = lastEventId;
  }

  /** Where to resume; empty when nothing was read yet. */
  get lastEventId(): string {
    return this.#lastEventId;
  }

  /** How long the other side asks to wait before one comes back. */
  get retryMs(): number {
    return this.#retryMs;
  }

  *read(bytes: Uint8Array): Generator<Message, void, undefined> {
    this.#text += this.#decoder.decode(bytes, { stream: true });
    for (let end = LINE_BREAK.exec(this.#text); end; end = LINE_BREAK.exec(this.#text)) {
      const line = this.#text.slice(0, end.index);
      this.#text = this.#text.slice(end.index + end[0].length);
      const message = line === '' ? this.#dispatched() : this.#field(line);
      if (message) yield message;
    }
  }

  /** The stream broke off: what was not whole is forgotten, for it comes again. */
  cut(): void {
    this.#decoder = new TextDecoder();
    this.#text = '';
    this.#event = '';
    this.#data = [];
    this.#id = this.#lastEventId;
  }

  /** A block without data moves the id and tells nothing. */
  #dispatched(): Message | undefined {
    const [event, data] = [this.#event || 'message', this.#data];
    this.#lastEventId = this.#id;
    this.#event = '';
    this.#data = [];
    return data.length === 0 ? undefined : { event, data: data.join('\n'), lastEventId: this.#id };
  }

  #field(line: string): undefined {
    const [, name = '', value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? [];
    if (name === 'event') this.#event = value;
    else if (name === 'data') this.#data.push(value);
    else if (name === 'id' && !value.includes('\0')) this.#id = value;
    else if (name === 'retry' && /^\d{1,9}$/.test(value)) this.#retryMs = Number(value);
  }
}
