// Owns the demo's talk with the service: the SDK's client, patient while the service is away, as a good producer is.
import { ChokaQ } from '@chokaq/sdk';

/** `baseUrl` is asked anew at each try: a service that was started again may listen elsewhere. */
export function createClient(baseUrl: () => string): ChokaQ {
  return new ChokaQ({
    url: 'http://demo.invalid',
    timeout: '10s',
    retryFor: '30s',
    fetch: request => {
      const { pathname, search } = new URL(request.url);
      return fetch(new Request(baseUrl() + pathname + search, request));
    },
  });
}
