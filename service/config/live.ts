// Owns the configuration as it holds now: what the process started with, overlaid by what is stored for all nodes.
import type { StartConfig } from '../config.ts';
import { contradictions } from './checks.ts';
import { describe, type SettingDescription } from './describe.ts';
import { KEYS, keyNamed, nameOf, settingOf } from './names.ts';
import type { Config } from './settings.ts';

/** One setting stored at run time; `value` is the text that its `parse` reads. */
export interface Stored {
  readonly name: string;
  readonly value: string;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
}

export interface StoredCopy {
  readonly settings: readonly Stored[];
  readonly revision: number;
}

/** What came of taking stored settings over: with faults nothing of them holds; unknown ones are left to other versions. */
export interface Adoption {
  readonly changed: boolean;
  readonly faults: readonly string[];
  readonly unknown: readonly string[];
}

/** Wishes to change settings, by name; null removes what is stored. */
export type SettingChanges = Readonly<Record<string, unknown>>;

/** Either the faults, each with the member it is about, or the texts to store. */
export interface Judgement {
  readonly faults: readonly { readonly name: string; readonly detail: string }[];
  readonly texts: Readonly<Record<string, string | null>>;
}

type Overlay = Map<keyof Config, unknown>;

export class LiveConfig {
  /** One object for the life of the process, whose properties change; whoever keeps a copy of one misses its change. */
  readonly values: Config;
  readonly #start: StartConfig;
  #stored: readonly Stored[] = [];
  #revision = -1;

  constructor(start: StartConfig) {
    this.#start = start;
    this.values = { ...start.values };
  }

  /** Of the stored settings last looked at. */
  get revision(): number {
    return this.#revision;
  }

  /** Takes over what is stored, as a whole or not at all; older copies than the last are ignored. */
  adopt({ settings, revision }: StoredCopy): Adoption {
    if (revision <= this.#revision) return { changed: false, faults: [], unknown: [] };
    this.#revision = revision;
    const unknown = settings.filter(({ name }) => keyNamed(name) === undefined).map(({ name }) => name);
    const { overlay, faults } = overlayOf(settings);
    const values = this.#overlaid(overlay);
    const found = [...faults, ...contradictions(values, new Set()).map(({ sentence }) => spoken(sentence))];
    if (found.length > 0) return { changed: false, faults: found, unknown };
    this.#stored = settings;
    Object.assign(this.values, values);
    return { changed: true, faults: [], unknown };
  }

  /** Every setting with its effective value and where that comes from. */
  describe(): readonly SettingDescription[] {
    const stored = new Map(this.#stored.map(one => [one.name, one]));
    return KEYS.map(key => {
      const { updatedAt = null, updatedBy = null } = stored.get(nameOf(settingOf(key).env)) ?? {};
      const source = updatedAt === null ? this.#start.sources[key] : 'stored';
      return describe(key, this.values[key], { source, updatedAt, updatedBy });
    });
  }

  /** What the changes would make of what is stored; all of them or none. */
  judge(changes: SettingChanges, { settings }: StoredCopy): Judgement {
    const { overlay } = overlayOf(settings);
    const faults: { name: string; detail: string }[] = [];
    const texts: Record<string, string | null> = {};
    for (const [name, given] of Object.entries(changes)) {
      const judged = judgeOne(name, given, overlay);
      if ('detail' in judged) faults.push({ name, detail: judged.detail });
      else texts[name] = judged.text;
    }
    if (faults.length > 0) return { faults, texts };
    return { faults: contradicting(this.#overlaid(overlay), Object.keys(changes)), texts };
  }

  #overlaid(overlay: Overlay): Config {
    return { ...this.#start.values, ...Object.fromEntries(overlay) };
  }
}

function overlayOf(settings: readonly Stored[]): { readonly overlay: Overlay; readonly faults: readonly string[] } {
  const overlay: Overlay = new Map();
  const faults: string[] = [];
  for (const { name, value } of settings) {
    const key = keyNamed(name);
    if (key === undefined) continue;
    const setting = settingOf(key);
    const parsed = setting.isChangeable ? setting.parse(value) : undefined;
    if (parsed !== undefined) overlay.set(key, parsed);
    else if (setting.isChangeable) faults.push(`${name}: must be ${setting.expected}, not ${JSON.stringify(value)}.`);
    else faults.push(`${name}: can no longer be stored; set ${setting.env} instead.`);
  }
  return { overlay, faults };
}

/** Enters the change into the overlay when it is valid by itself. */
function judgeOne(name: string, given: unknown, overlay: Overlay): { detail: string } | { text: string | null } {
  const key = keyNamed(name);
  if (key === undefined) return { detail: 'is no setting; GET /settings lists those that exist' };
  const setting = settingOf(key);
  if (!setting.isChangeable) return { detail: `can be set only before the start: set ${setting.env} and restart` };
  if (given === null) {
    overlay.delete(key);
    return { text: null };
  }
  const value = setting.parse(given);
  if (value === undefined) return { detail: `must be ${setting.expected}` };
  overlay.set(key, value);
  return { text: setting.show(value) };
}

/** Only what the changed settings have to do with: each contradiction at the first changed one it is about. */
function contradicting(values: Config, changed: readonly string[]): Judgement['faults'] {
  return contradictions(values, new Set()).flatMap(({ about, sentence }) => {
    const name = about.map(key => nameOf(settingOf(key).env)).find(one => changed.includes(one));
    return name === undefined ? [] : [{ name, detail: spoken(sentence).replace(`${name}: `, '') }];
  });
}

/** The sentence with the names that `chokaq.yaml` and the API use. */
function spoken(sentence: string): string {
  return sentence.replace(/\bCHOKAQ_[A-Z_]+[A-Z]\b/g, nameOf);
}
