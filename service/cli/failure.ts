// Owns what a person reads when a command cannot go on, and the exit code: 1 = it failed, 2 = it was asked for wrongly.
import { ConfigError } from '../config.ts';

/** The command was asked for what cannot be: nothing was begun. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export function explainFailure(error: unknown): { readonly text: string; readonly exitCode: number } {
  if (error instanceof ConfigError) return { text: explainConfig(error), exitCode: 2 };
  if (error instanceof UsageError) return { text: `chokaq: ${error.message}`, exitCode: 2 };
  if (!(error instanceof Error)) return { text: `chokaq: ${String(error)}`, exitCode: 1 };
  // A failing system or database call and a refusal carry a code and explain themselves; all else is a bug, and its place matters.
  const isExplained = 'code' in error && typeof error.code === 'string';
  return { text: `chokaq: ${isExplained ? messages(error) : error.stack}`, exitCode: 1 };
}

function explainConfig({ faults }: ConfigError): string {
  const heading = faults.length === 1 ? 'a setting is wrong' : `${faults.length} settings are wrong`;
  const list = faults.map(fault => `  - ${fault.replaceAll('\n', '\n    ')}`);
  return [`chokaq: ${heading}; nothing was started.`, ...list].join('\n');
}

function messages(error: Error): string {
  return error.cause instanceof Error ? `${error.message}: ${messages(error.cause)}` : error.message;
}
