// Owns the configuration of one process: the environment before `chokaq.yaml` before the defaults, checked together before anything starts.
import { parseDocument } from 'yaml';
import { contradictions } from './config/checks.ts';
import type { SettingDescription, SettingOrigin, SettingSource, SettingValue } from './config/describe.ts';
import type { Setting } from './config/kinds.ts';
import { LiveConfig, type StoredCopy } from './config/live.ts';
import { KEYS, nameOf, PREFIX, settingOf } from './config/names.ts';
import { type Config, SETTINGS } from './config/settings.ts';

export { exposure, isLoopback, queueFaults } from './config/checks.ts';
export { LiveConfig, type StoredCopy } from './config/live.ts';
export type { Config } from './config/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Source = 'environment' | 'chokaq.yaml' | 'default';

/** What a process starts with, and where each value comes from. */
export interface StartConfig {
  readonly values: Config;
  readonly sources: Readonly<Record<keyof Config, Source>>;
}

/** All faults of a configuration at once, one sentence each, naming the setting it is about. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** A setting somebody gave, spelt as its source spells it; the value as it stands there. */
interface Given {
  readonly name: string;
  readonly value: unknown;
  readonly source: Source;
}

/** What was given, each valid by itself; the environment has replaced what `chokaq.yaml` says. */
type Values = Map<keyof Config, { readonly value: unknown; readonly source: Source }>;

/** Test harnesses, what Kubernetes injects for a Service called chokaq, and what clients and handlers of the service read. */
const NOT_SETTINGS = /^CHOKAQ_(?:TEST_.*|SERVICE_.*|PORT_.*|URL|API_KEY|SECRET)$/;

/** Throws `ConfigError` with every fault. `yamlText` is what `chokaq.yaml` holds, if there is one. */
export function loadConfig(env: Environment, yamlText?: string): Config {
  return startConfig(env, yamlText).values;
}

/** The same, with the source of each value. */
export function startConfig(env: Environment, yamlText?: string): StartConfig {
  const { values, invalid, faults } = collect(env, yamlText);
  const effective = KEYS.map(key => [key, values.has(key) ? values.get(key)?.value : SETTINGS[key].default]);
  const config = Object.fromEntries(effective) as Config;
  faults.push(...contradictions(config, invalid).map(({ sentence }) => sentence));
  if (faults.length > 0) throw new ConfigError(faults);
  const sources = KEYS.map(key => [key, values.get(key)?.source ?? 'default']);
  return { values: config, sources: Object.fromEntries(sources) as StartConfig['sources'] };
}

/** One row of `chokaq config`: values as texts, as the environment would have them; that of a secret is hidden. */
export interface DescribedSetting
  extends Omit<SettingDescription, keyof SettingOrigin | 'value' | 'default' | 'isChangeable'> {
  readonly value: string;
  readonly source: SettingSource;
  readonly default: string;
}

/** Every effective setting with its source; throws `ConfigError` when they are not valid, the stored ones included. */
export function describeConfig(env: Environment, yamlText?: string, stored?: StoredCopy): DescribedSetting[] {
  const live = new LiveConfig(startConfig(env, yamlText));
  const { faults } = stored ? live.adopt(stored) : { faults: [] };
  if (faults.length > 0) throw new ConfigError(faults.map(storedFault));
  return live.describe().map(row => {
    const { name, value, source, allowed, unit, meaning } = row;
    return { name, env: row.env, value: textOf(value), source, default: textOf(row.default), allowed, unit, meaning };
  });
}

/** What is stored and wrong can only be removed: no file and no variable comes before it. */
export function storedFault(fault: string): string {
  return `${fault} It is stored in the database: remove it with \`chokaq config --unset ${fault.split(':', 1)[0]}\`.`;
}

function textOf(value: SettingValue): string {
  return value === null ? '' : String(value);
}

function collect(env: Environment, yamlText: string | undefined) {
  const values: Values = new Map();
  const invalid = new Set<keyof Config>();
  const faults: string[] = [];
  const take = (given: Given, spelling: (env: string) => string) => {
    const key = KEYS.find(candidate => spelling(SETTINGS[candidate].env) === given.name);
    const value = key && settingOf(key).parse(given.value);
    if (!key)
      faults.push(`${given.name}: no such setting (${given.source}); \`chokaq config\` lists those that exist.`);
    else if (value === undefined) {
      invalid.add(key);
      faults.push(explain(settingOf(key), given));
    } else values.set(key, { value, source: given.source });
  };
  for (const [name, value] of Object.entries(readYaml(yamlText, faults))) {
    take({ name, value, source: 'chokaq.yaml' }, nameOf);
  }
  for (const [name, value] of Object.entries(env)) {
    const isSetting = name.startsWith(PREFIX) && !NOT_SETTINGS.test(name) && value !== undefined;
    if (isSetting) take({ name, value, source: 'environment' }, same => same);
  }
  return { values, invalid, faults };
}

function readYaml(yamlText: string | undefined, faults: string[]): object {
  const document = parseDocument(yamlText ?? '');
  faults.push(...document.errors.map(error => `chokaq.yaml: ${error.message.trim()}`));
  const content: unknown = document.errors.length > 0 ? null : document.toJS();
  if (content === null) return {};
  if (typeof content === 'object' && !Array.isArray(content)) return content;
  faults.push('chokaq.yaml: must hold one setting per line, such as `pollInterval: 1s`.');
  return {};
}

function explain(setting: Setting<unknown>, { name, value, source }: Given): string {
  if (setting.env === SETTINGS.port.env && String(value).startsWith('tcp://')) {
    return `${name}: ${value} comes from Kubernetes, which injects it for a Service called chokaq; set enableServiceLinks: false in the pod's spec.`;
  }
  const shown = setting.isSecret ? 'what was given' : JSON.stringify(value);
  return `${name}: must be ${setting.expected}, not ${shown} (${source}).`;
}
