// Owns the law of the store port: whatever passes this suite may carry the service. Plug a store in with one line.
import { afterAll, describe, test } from 'vitest';
import { accessLaw } from './suite/access.ts';
import { auditLaw } from './suite/audit.ts';
import { cancelLaw } from './suite/cancel.ts';
import { circuitOrdersLaw } from './suite/circuit-orders.ts';
import { circuitRampLaw } from './suite/circuit-ramp.ts';
import { circuitsLaw } from './suite/circuits.ts';
import { claimLaw } from './suite/claim.ts';
import { countersLaw } from './suite/counters.ts';
import { enqueueLaw } from './suite/enqueue.ts';
import { familiesLaw } from './suite/families.ts';
import { idempotencyLaw } from './suite/idempotency.ts';
import { limitsLaw } from './suite/limits.ts';
import { listsLaw } from './suite/lists.ts';
import { movesLaw } from './suite/moves.ts';
import { nodesLaw } from './suite/nodes.ts';
import { operateLaw } from './suite/operate.ts';
import { operationEndsLaw } from './suite/operation-ends.ts';
import { operationsLaw } from './suite/operations.ts';
import { queueRetentionLaw } from './suite/queue-retention.ts';
import { queuesLaw } from './suite/queues.ts';
import { recoveryLaw } from './suite/recovery.ts';
import { registryLaw } from './suite/registry.ts';
import { resultClaimsLaw } from './suite/result-claims.ts';
import { retentionLaw } from './suite/retention.ts';
import { retryLaw } from './suite/retry.ts';
import { settingsLaw } from './suite/settings.ts';
import { statsLaw } from './suite/stats.ts';
import { textsLaw } from './suite/texts.ts';
import { walkLaw } from './suite/walk.ts';
import { type Law, Stage, type StoreWorld } from './suite/world.ts';

export type { StoreWorld } from './suite/world.ts';

const CHAPTERS: Readonly<Record<string, (law: Law) => void>> = {
  enqueue: enqueueLaw,
  idempotency: idempotencyLaw,
  'result claims': resultClaimsLaw,
  claim: claimLaw,
  limits: limitsLaw,
  moves: movesLaw,
  retry: retryLaw,
  recovery: recoveryLaw,
  circuits: circuitsLaw,
  'circuit ramp': circuitRampLaw,
  'circuit orders': circuitOrdersLaw,
  cancel: cancelLaw,
  operate: operateLaw,
  lists: listsLaw,
  'error families': familiesLaw,
  operations: operationsLaw,
  'operation ends': operationEndsLaw,
  counters: countersLaw,
  retention: retentionLaw,
  'retention per queue': queueRetentionLaw,
  texts: textsLaw,
  registry: registryLaw,
  queues: queuesLaw,
  nodes: nodesLaw,
  access: accessLaw,
  audit: auditLaw,
  settings: settingsLaw,
  stats: statsLaw,
  walk: walkLaw,
};

/** `open` makes a fresh, empty database: for each statement, or for many where a world can empty itself. */
export function storeSuite(name: string, open: () => Promise<StoreWorld>): void {
  describe(`the law of the store, kept by ${name}`, () => {
    const worlds = new Worlds(open);
    const law: Law = (title, play, timeoutMs) => test(title, () => worlds.lend(play), timeoutMs);
    for (const [chapter, lay] of Object.entries(CHAPTERS)) describe(chapter, () => lay(law));
    afterAll(() => worlds.close());
  });
}

/** A world in which a statement failed is not used again. */
class Worlds {
  readonly #open: () => Promise<StoreWorld>;
  #spare: StoreWorld | undefined;

  constructor(open: () => Promise<StoreWorld>) {
    this.#open = open;
  }

  async lend(play: (stage: Stage) => Promise<void>): Promise<void> {
    const world = this.#spare ?? (await this.#open());
    this.#spare = undefined;
    try {
      const stage = new Stage(world);
      await play(stage);
      if (!world.empty) return;
      stage.rewind();
      await world.empty();
      this.#spare = world;
    } finally {
      if (this.#spare !== world) await world.close();
    }
  }

  async close(): Promise<void> {
    await this.#spare?.close();
  }
}
