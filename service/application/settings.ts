// Owns the verbs of runtime settings: show what holds and why, store changes for all nodes, and take over what others stored.
import { DomainError } from '../domain/errors.ts';
import type { Log } from '../log.ts';
import type { StoredSettings } from '../ports/settings.ts';
import type { Store } from '../ports/store.ts';

type Value = string | number | boolean | null | readonly string[];

/** A setting with its effective value, where that comes from, and what would be allowed. */
export interface EffectiveSetting {
  readonly name: string;
  readonly env: string;
  readonly value: Value;
  readonly source: 'stored' | 'environment' | 'chokaq.yaml' | 'default';
  readonly default: Value;
  readonly allowed: string;
  readonly unit: string | null;
  readonly meaning: string;
  readonly isChangeable: boolean;
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
}

/** The settings that hold on this node; `config/live.ts` is them. */
export interface SettingsInForce {
  readonly revision: number;
  describe(): readonly EffectiveSetting[];
  adopt(stored: StoredSettings): {
    readonly changed: boolean;
    readonly faults: readonly string[];
    readonly unknown: readonly string[];
  };
  judge(
    changes: Readonly<Record<string, unknown>>,
    stored: StoredSettings,
  ): {
    readonly faults: readonly { readonly name: string; readonly detail: string }[];
    readonly texts: Readonly<Record<string, string | null>>;
  };
}

interface SettingsParts {
  readonly store: Pick<Store, 'settings'>;
  readonly inForce: SettingsInForce;
  readonly log: Log;
  /** Called after the values have changed. */
  readonly onChange: () => void;
}

/** Others may change settings while somebody's changes are judged; after so many lost races the caller is told. */
const TRIES = 5;

export class Settings {
  readonly #parts: SettingsParts;

  constructor(parts: SettingsParts) {
    this.#parts = parts;
  }

  /** Of the copy that this node works with; older than a claim's `settingsRevision` means it must be loaded again. */
  get revision(): number {
    return this.#parts.inForce.revision;
  }

  list(): readonly EffectiveSetting[] {
    return this.#parts.inForce.describe();
  }

  /** Stores all changes or none, null removing what was stored; they hold here at once, on other nodes with their next claim. */
  async change(changes: Readonly<Record<string, unknown>>, by: string): Promise<readonly EffectiveSetting[]> {
    const { store, inForce } = this.#parts;
    for (let tries = 0; tries < TRIES; tries += 1) {
      const stored = await store.settings.read();
      const { faults, texts } = inForce.judge(changes, stored);
      if (faults.length > 0) throw refused(faults);
      const changed = await store.settings.change(texts, by, stored.revision);
      if (changed === null) continue;
      this.#adopt(changed);
      return this.list();
    }
    throw new DomainError('conflict-state', 'Others change settings at this moment. Read them and send yours again.');
  }

  /** Takes over what is stored; a node that cannot keeps what it has, and says so. */
  async load(): Promise<void> {
    this.#adopt(await this.#parts.store.settings.read());
  }

  #adopt(stored: StoredSettings): void {
    const { inForce, log, onChange } = this.#parts;
    const { changed, faults, unknown } = inForce.adopt(stored);
    if (faults.length > 0) log.event('settingsRefused', { faults });
    if (unknown.length > 0) log.event('settingsUnknown', { names: unknown });
    if (!changed) return;
    log.event('settingsChanged', { revision: stored.revision });
    onChange();
  }
}

function refused(faults: readonly { readonly name: string; readonly detail: string }[]): DomainError {
  const listed = faults.map(({ name, detail }) => ({ detail, pointer: `#/${escaped(name)}` }));
  return new DomainError('validation-failed', 'Nothing was changed. Correct what is listed in errors.', listed);
}

function escaped(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}
