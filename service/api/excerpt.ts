// Owns what request validation needs of the document: some paths, their parameters and bodies, and the schemas those refer to.
import type { Document, PathItem } from './contract.ts';

const METHODS_AND_PARAMETERS = ['parameters', 'get', 'put', 'post', 'delete', 'patch'];

/** The validator compiles each schema it is given several times over: a third of the memory of the whole document remains. */
export function excerpt(document: Document, paths: readonly string[]): Document {
  const items = Object.fromEntries(paths.map(path => [path, requestsOnly(document.paths[path] ?? {})]));
  const { openapi, info } = document;
  return structuredClone({ openapi, info, paths: items, components: referredFrom(items, document.components) });
}

function requestsOnly(item: PathItem): PathItem {
  const kept = Object.entries(item).filter(([name]) => METHODS_AND_PARAMETERS.includes(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, name === 'parameters' ? value : requestOnly(value)]));
}

function requestOnly(operation: unknown): object {
  const { operationId, parameters = [], requestBody } = operation as Record<string, unknown>;
  return { operationId, parameters, ...(requestBody !== undefined && { requestBody }), responses: {} };
}

type Components = Document['components'];

/** Schemas and parameters, followed through each other. */
function referredFrom(items: object, components: Components): Components {
  const found: Record<string, Record<string, unknown>> = { schemas: {}, parameters: {} };
  const follow = (node: unknown) => {
    for (const [, kind = '', name = ''] of JSON.stringify(node).matchAll(
      /"#\/components\/(schemas|parameters)\/(\w+)"/g,
    )) {
      const group = found[kind];
      if (!group || Object.hasOwn(group, name)) continue;
      group[name] = components[kind]?.[name];
      follow(group[name]);
    }
  };
  follow(items);
  return found;
}
