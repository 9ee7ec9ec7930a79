// Owns the verb of nodes: which are running.
import { isLive } from '../domain/node.ts';
import type { Node, Store } from '../ports/store.ts';

interface NodeParts {
  readonly store: Pick<Store, 'nodes' | 'clock'>;
  /** The id of this node. */
  readonly self: string;
  readonly heartbeatMaxMs: number;
}

/** A node as seen from this one. */
export interface SeenNode extends Node {
  readonly isSelf: boolean;
}

export class Nodes {
  readonly #parts: NodeParts;

  constructor(parts: NodeParts) {
    this.#parts = parts;
  }

  /** Those that gave a sign of life lately, the longest running first. */
  async list(): Promise<readonly SeenNode[]> {
    const { store, self, heartbeatMaxMs } = this.#parts;
    const now = store.clock.now();
    const nodes = await store.nodes.list();
    return nodes
      .filter(node => node.id === self || isLive(node, now, heartbeatMaxMs))
      .map(node => ({ ...node, isSelf: node.id === self }));
  }
}
