// Owns how settings are called: the property of `Config`, the environment variable, and the name in `chokaq.yaml` and the API.
import type { Setting } from './kinds.ts';
import { type Config, SETTINGS } from './settings.ts';

export const PREFIX = 'CHOKAQ_';
export const KEYS = Object.keys(SETTINGS) as (keyof Config)[];

export function settingOf(key: keyof Config): Setting<unknown> {
  return SETTINGS[key] as Setting<unknown>;
}

/** `CHOKAQ_POLL_INTERVAL` is `pollInterval` in YAML and in the API. */
export function nameOf(env: string): string {
  const name = env.slice(PREFIX.length).toLowerCase();
  return name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());
}

export function keyNamed(name: string): keyof Config | undefined {
  return KEYS.find(key => nameOf(SETTINGS[key].env) === name);
}
