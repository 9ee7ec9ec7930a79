// Owns what the service asks of its storage about the running nodes, a sentence per verb.

/** One running service process. */
export interface Node {
  readonly id: string;
  readonly host: string;
  readonly version: string;
  readonly concurrency: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Jobs it holds, claimed or running. */
  readonly running: number;
  /** It winds down: what runs may end, nothing more is claimed. */
  readonly isDraining: boolean;
  /** The last `queuesRevision` the node acknowledged: what it had started before has been sent. Null before the first. */
  readonly queuesRevision: number | null;
}

/** What a node says of itself. */
export type NodeIdentity = Pick<Node, 'id' | 'host' | 'version' | 'concurrency'>;

export interface NodeStore {
  /** Announces the node, or refreshes when it was last seen; answers the revision that `Claim.settingsRevision` is. */
  announce(node: NodeIdentity): Promise<{ readonly settingsRevision: number }>;
  acknowledge(id: string, queuesRevision: number): Promise<void>;
  /** Says that the node claims no more and will be gone soon. */
  drain(id: string): Promise<void>;
  list(): Promise<readonly Node[]>;
  forget(id: string): Promise<void>;
}
