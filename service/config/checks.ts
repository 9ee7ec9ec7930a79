// Owns what settings must be to one another, each rule with its reason; a single value's own range is in the table.
import ipaddr from 'ipaddr.js';
import { formatDuration } from '../domain/duration.ts';
import type { Config } from './settings.ts';

const HEARTBEATS_PER_ZOMBIE_TIMEOUT = 3;

/** What is wrong with settings that are each valid alone; every sentence names the setting it begins with. */
export function contradictions(config: Config): string[] {
  return [storage, heartbeatOrder, zombies, retryOrder, apiKeys, exposure].flatMap(check => check(config) ?? []);
}

/** Whether only this machine can reach an address or host name. */
export function isLoopback(host: string): boolean {
  if (ipaddr.isValid(host)) return ipaddr.process(host).range() === 'loopback';
  return host.toLowerCase() === 'localhost';
}

function storage(config: Config): string | undefined {
  if (config.storage !== 'mssql') return undefined;
  return 'CHOKAQ_STORAGE: mssql is not served yet by this version; use sqlite (durable) or memory.';
}

function heartbeatOrder({ heartbeatMinMs, heartbeatMaxMs }: Config): string | undefined {
  if (heartbeatMinMs <= heartbeatMaxMs) return undefined;
  return `CHOKAQ_HEARTBEAT_MIN: ${formatDuration(heartbeatMinMs)} is longer than CHOKAQ_HEARTBEAT_MAX (${formatDuration(heartbeatMaxMs)}); each pause is drawn between the two.`;
}

function zombies({ zombieTimeoutMs, heartbeatMaxMs }: Config): string | undefined {
  if (zombieTimeoutMs >= HEARTBEATS_PER_ZOMBIE_TIMEOUT * heartbeatMaxMs) return undefined;
  return `CHOKAQ_ZOMBIE_TIMEOUT: ${formatDuration(zombieTimeoutMs)} is less than three times CHOKAQ_HEARTBEAT_MAX (${formatDuration(heartbeatMaxMs)}); one late heartbeat would make a running job a zombie.`;
}

function retryOrder({ retryBaseMs, retryMaxMs }: Config): string | undefined {
  if (retryBaseMs <= retryMaxMs) return undefined;
  return `CHOKAQ_RETRY_BASE: ${formatDuration(retryBaseMs)} is longer than CHOKAQ_RETRY_MAX (${formatDuration(retryMaxMs)}), which no wait may pass.`;
}

function apiKeys({ apiKeysFile }: Config): string | undefined {
  if (apiKeysFile === null) return undefined;
  return 'CHOKAQ_API_KEYS_FILE: API keys are not served yet by this version; without the setting the service listens on loopback only.';
}

function exposure({ host, allowAnonymous }: Config): string | undefined {
  if (allowAnonymous || isLoopback(host)) return undefined;
  return [
    `CHOKAQ_HOST: ${host} can be reached from other machines, and without API keys whoever reaches it may do everything.`,
    'If something else keeps strangers away, start it with',
    `    CHOKAQ_ALLOW_ANONYMOUS=true CHOKAQ_HOST=${host} npm start`,
  ].join('\n');
}
