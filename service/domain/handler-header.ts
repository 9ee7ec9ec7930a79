// Owns which extra headers a handler may ask for: none that would break the call, or pass for one of ours.

const RESERVED = new Set([
  'host',
  'content-length',
  'content-type',
  'content-encoding',
  'user-agent',
  'traceparent',
  'tracestate',
  'expect',
  'accept-encoding',
  // hop-by-hop
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/;
/** What HTTP/1.1 carries in a value: Latin-1 without control characters but the tab. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** Why this header cannot be sent with every call, or null when it can. */
export function headerFlaw(name: string, value: string): string | null {
  const lower = name.toLowerCase();
  if (!TOKEN.test(name)) return 'is not a header name';
  if (RESERVED.has(lower)) return 'is set by the service or by the connection';
  if (lower.startsWith('chokaq-') || lower.startsWith('webhook-')) return 'belongs to the service';
  if (!VALUE.test(value)) return 'has a value that a header cannot carry: Latin-1 without control characters';
  return null;
}
