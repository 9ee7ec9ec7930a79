// Owns lists that come in pages: one page when asked for, or every item as it is iterated over.

export interface Page<Item> {
  readonly items: readonly Item[];
  readonly nextCursor?: string | null;
}

export class Listing<Item> implements AsyncIterable<Item> {
  readonly #fetch: (cursor: string | undefined) => Promise<Page<Item>>;

  constructor(fetch: (cursor: string | undefined) => Promise<Page<Item>>) {
    this.#fetch = fetch;
  }

  /** The page that begins at a cursor, or the first one. */
  page(cursor?: string): Promise<Page<Item>> {
    return this.#fetch(cursor);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Item, void> {
    let cursor: string | undefined;
    do {
      const page = await this.#fetch(cursor);
      yield* page.items;
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
  }

  /** Everything at once; for lists that are known to be short. */
  async all(): Promise<Item[]> {
    const items: Item[] = [];
    for await (const item of this) items.push(item);
    return items;
  }
}
