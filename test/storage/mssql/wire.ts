// Owns a wire to SQL Server that can be cut in the worst moment: after the server has answered, before anybody hears it.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import sql from 'mssql';

/** Of a TDS packet: the flag that it is the last of its message, and where its length stands. */
const LAST = 1;
const HEADER = 8;

export class Wire {
  readonly #server: Server;
  readonly #url: string;
  #marker: Buffer | undefined;
  /** Answers that were lost so far. */
  lost = 0;

  constructor(url: string) {
    this.#url = url;
    const { server: host, port = 1433 } = sql.ConnectionPool.parseConnectionString(url);
    this.#server = createServer(near => this.#join(near, connect(port, host)));
  }

  /** The connection string by which one comes through here; nothing on it is encrypted. */
  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    const { port } = this.#server.address() as AddressInfo;
    const rest = this.#url.replace(/(Server|Encrypt)=[^;]*;?/gi, '');
    return `Server=127.0.0.1,${port};Encrypt=false;${rest}`;
  }

  /** The next request in whose text this word stands is carried out, and its answer never arrives. */
  loseAnswerTo(word: string): void {
    this.#marker = Buffer.from(word, 'utf16le');
  }

  close(): void {
    this.#server.close();
  }

  #join(near: Socket, far: Socket): void {
    let asked = Buffer.alloc(0);
    let answer: Buffer | undefined;
    near.on('data', chunk => {
      asked = Buffer.concat([asked, chunk]).subarray(-100_000);
      if (this.#marker && asked.includes(this.#marker)) {
        this.#marker = undefined;
        answer = Buffer.alloc(0);
      }
      far.write(chunk);
    });
    far.on('data', chunk => {
      asked = Buffer.alloc(0);
      if (answer === undefined) return void near.write(chunk);
      answer = Buffer.concat([answer, chunk]);
      if (!isWhole(answer)) return;
      this.lost += 1;
      near.destroy();
      far.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const)
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
  }
}

/** Whether the last packet of the message is there. */
function isWhole(message: Buffer): boolean {
  for (let at = 0; at + HEADER <= message.length; ) {
    const length = message.readUInt16BE(at + 2);
    if ((message.readUInt8(at + 1) & LAST) > 0) return at + length <= message.length;
    at += length;
  }
  return false;
}
