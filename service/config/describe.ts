// Owns how a setting is told to people: its effective value and source, what is allowed, and never a secret.
import { nameOf, settingOf } from './names.ts';
import type { Config } from './settings.ts';

export type SettingSource = 'stored' | 'environment' | 'chokaq.yaml' | 'default';

/** As it stands in JSON: durations are texts, what is not set is null. */
export type SettingValue = string | number | boolean | null | readonly string[];

export interface SettingOrigin {
  readonly source: SettingSource;
  /** When and by whom it was stored; null when it was not. */
  readonly updatedAt: number | null;
  readonly updatedBy: string | null;
}

export interface SettingDescription extends SettingOrigin {
  readonly name: string;
  readonly env: string;
  readonly value: SettingValue;
  readonly default: SettingValue;
  readonly allowed: string;
  readonly unit: string | null;
  readonly meaning: string;
  /** It can be stored for all nodes while they run. */
  readonly isChangeable: boolean;
}

const HIDDEN = '(hidden)';

export function describe(key: keyof Config, value: unknown, origin: SettingOrigin): SettingDescription {
  const setting = settingOf(key);
  const shown = (one: unknown) => (setting.kind === 'duration' ? setting.show(one) : (one as SettingValue));
  return {
    name: nameOf(setting.env),
    env: setting.env,
    value: setting.isSecret && value !== null ? HIDDEN : shown(value),
    default: shown(setting.default),
    allowed: setting.expected,
    unit: setting.unit,
    meaning: setting.meaning,
    isChangeable: setting.isChangeable ?? false,
    ...origin,
  };
}
