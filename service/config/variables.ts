// Owns variables in the file of handlers: `${NAME}` in an address, a secret or a header stands for what the environment has.
import type { Environment } from '../config.ts';

type Members = Readonly<Record<string, unknown>>;
type OnFault = (place: readonly string[], what: string) => void;

/** `$${` is a `${` that means itself. */
const VARIABLE = /\$(\$?)\{([^}]*)\}/g;
const FILLED = ['url', 'secret', 'secretFile'];

/** The members of a handler with their variables filled in. */
export function filledIn(handler: Members, env: Environment, onFault: OnFault): Members {
  const headers = handler.headers;
  const all = Object.entries(handler).map(([name, value]) => [
    name,
    FILLED.includes(name) ? filled(value, env, what => onFault([name], what)) : value,
  ]);
  if (typeof headers !== 'object' || headers === null || Array.isArray(headers)) return Object.fromEntries(all);
  const lines = Object.entries(headers).map(([name, value]) => [
    name,
    filled(value, env, what => onFault(['headers', name], what)),
  ]);
  return { ...Object.fromEntries(all), headers: Object.fromEntries(lines) };
}

function filled(value: unknown, env: Environment, onFault: (what: string) => void): unknown {
  if (typeof value !== 'string') return value;
  return value.replace(VARIABLE, (whole, dollar: string, name: string) => {
    if (dollar !== '') return whole.slice(1);
    const found = env[name];
    if (found === undefined) onFault(`names the variable ${name}, which is not set`);
    return found ?? '';
  });
}
