// Owns the page at /docs: Swagger UI under a strict content security policy, so every script and style is a file of this origin.
import { createRequire } from 'node:module';
import { Router } from 'express';
import helmet from 'helmet';
import type { Operation } from './operation.ts';
import { send } from './reply.ts';

// The package's main module would load the whole browser bundle, a quarter of the service's start.
const absolutePath = createRequire(import.meta.url)('swagger-ui-dist/absolute-path.js') as () => string;

const FILES = ['swagger-ui.css', 'swagger-ui-bundle.js', 'favicon-32x32.png'];

const PAGE = `<!doctype html>
<html lang="en">
<head>
  <meta charset="utf-8">
  <meta name="viewport" content="width=device-width, initial-scale=1">
  <title>ChokaQ API</title>
  <link rel="icon" href="docs/favicon-32x32.png">
  <link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
  <div id="swagger-ui"></div>
  <script src="docs/swagger-ui-bundle.js"></script>
  <script src="docs/start.js"></script>
</body>
</html>
`;

const START = `SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#swagger-ui',
  deepLinking: true,
  displayRequestDuration: true,
  tryItOutEnabled: true,
  validatorUrl: null,
});
`;

/** Pages get what answers of the API do not: scripts, styles, images and calls of their own origin. */
const protectPage = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // The service itself speaks plain HTTP; whoever puts TLS before it decides.
  strictTransportSecurity: false,
});

export function docsPage(): Operation {
  return (req, res) => protectPage(req, res, () => send(res, 200, 'text/html; charset=utf-8', PAGE));
}

/** The files that the page refers to, and no others of the package. */
export function docsFiles(): Router {
  const router = Router({ caseSensitive: true, strict: true });
  // Whoever opens the service in a browser wants to see what it is.
  router.get('/', (_req, res) => res.redirect('/docs'));
  router.get('/docs/start.js', (_req, res) => send(res, 200, 'text/javascript; charset=utf-8', START));
  for (const file of FILES) {
    router.get(`/docs/${file}`, (_req, res) => {
      res.setHeader('cache-control', 'public, max-age=3600');
      res.sendFile(file, { root: absolutePath(), cacheControl: false });
    });
  }
  return router;
}
