// Owns the configuration of one process: the environment before `chokaq.yaml` before the defaults, checked together before anything starts.
import { parseDocument } from 'yaml';
import { contradictions } from './config/checks.ts';
import type { Setting } from './config/kinds.ts';
import { type Config, SETTINGS } from './config/settings.ts';

export { isLoopback } from './config/checks.ts';
export type { Config } from './config/settings.ts';

export type Environment = Readonly<Record<string, string | undefined>>;
export type Source = 'environment' | 'chokaq.yaml' | 'default';

/** All faults of a configuration at once, one sentence each, naming the setting it is about. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(faults.join('\n'));
    this.faults = faults;
  }
}

/** One row of `chokaq config`; the value of a secret is hidden. */
export interface DescribedSetting {
  readonly name: string;
  readonly env: string;
  readonly value: string;
  readonly source: Source;
  readonly default: string;
  readonly allowed: string;
  readonly unit: string | null;
  readonly meaning: string;
}

/** A setting somebody gave, spelt as its source spells it; the value as it stands there. */
interface Given {
  readonly name: string;
  readonly value: unknown;
  readonly source: Source;
}

/** What was given, each valid by itself; the environment has replaced what `chokaq.yaml` says. */
type Values = Map<keyof Config, { readonly value: unknown; readonly source: Source }>;

const PREFIX = 'CHOKAQ_';
/** Test harnesses, what Kubernetes injects for a Service called chokaq, and what clients of the service read. */
const NOT_SETTINGS = /^CHOKAQ_(?:TEST_.*|SERVICE_.*|PORT_.*|URL|API_KEY)$/;
const HIDDEN = '(hidden)';
const KEYS = Object.keys(SETTINGS) as (keyof Config)[];

/** Throws `ConfigError` with every fault. `yamlText` is what `chokaq.yaml` holds, if there is one. */
export function loadConfig(env: Environment, yamlText?: string): Config {
  const { values, invalid, faults } = collect(env, yamlText);
  const effective = KEYS.map(key => [key, values.has(key) ? values.get(key)?.value : SETTINGS[key].default]);
  const config = Object.fromEntries(effective) as Config;
  faults.push(...contradictions(config, invalid));
  if (faults.length > 0) throw new ConfigError(faults);
  return config;
}

/** Every effective setting with its source; throws `ConfigError` when they are not valid. */
export function describeConfig(env: Environment, yamlText?: string): DescribedSetting[] {
  const config = loadConfig(env, yamlText);
  const { values } = collect(env, yamlText);
  return KEYS.map(key => {
    const setting = settingOf(key);
    const value = setting.isSecret && config[key] !== null ? HIDDEN : setting.show(config[key]);
    return {
      name: yamlName(setting.env),
      env: setting.env,
      value,
      source: values.get(key)?.source ?? 'default',
      default: setting.show(setting.default),
      allowed: setting.expected,
      unit: setting.unit,
      meaning: setting.meaning,
    };
  });
}

function collect(env: Environment, yamlText: string | undefined) {
  const values: Values = new Map();
  const invalid = new Set<keyof Config>();
  const faults: string[] = [];
  const take = (given: Given, nameOf: (env: string) => string) => {
    const key = KEYS.find(candidate => nameOf(SETTINGS[candidate].env) === given.name);
    const value = key && settingOf(key).parse(given.value);
    if (!key)
      faults.push(`${given.name}: no such setting (${given.source}); \`chokaq config\` lists those that exist.`);
    else if (value === undefined) {
      invalid.add(key);
      faults.push(explain(settingOf(key), given));
    } else values.set(key, { value, source: given.source });
  };
  for (const [name, value] of Object.entries(readYaml(yamlText, faults))) {
    take({ name, value, source: 'chokaq.yaml' }, yamlName);
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

/** `CHOKAQ_POLL_INTERVAL` is `pollInterval` in YAML. */
function yamlName(env: string): string {
  const name = env.slice(PREFIX.length).toLowerCase();
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function settingOf(key: keyof Config): Setting<unknown> {
  return SETTINGS[key] as Setting<unknown>;
}
