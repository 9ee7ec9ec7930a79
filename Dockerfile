# The image of the service: built with a toolchain, run without one. docs/configuration.md says how to run it.

FROM node:24-bookworm AS build
WORKDIR /build

# Dependencies first: they change less often than the source. SQLite is compiled here if there is no ready-made binary.
COPY package.json package-lock.json ./
COPY sdk/package.json sdk/
RUN npm ci --no-audit --no-fund

COPY tsconfig.json tsconfig.build.json build.mjs openapi.yaml ./
COPY sdk/tsconfig.json sdk/
COPY sdk/src sdk/src
COPY service service
COPY sdk/tsconfig.json sdk/
COPY sdk/src sdk/src
RUN npm run build

# What stays is what runs: no development packages, no sources of SQLite, no source maps of the browser's files.
RUN npm prune --omit=dev --no-audit --no-fund \
  && rm -rf node_modules/better-sqlite3/deps node_modules/better-sqlite3/src \
  && find node_modules/better-sqlite3/build -type f ! -name better_sqlite3.node -delete \
  && find node_modules/swagger-ui-dist -name '*.map' -delete


FROM node:24-bookworm-slim
WORKDIR /app

COPY package.json openapi.yaml LICENSE ./
COPY --from=build /build/node_modules node_modules
COPY --from=build /build/dist/service dist/service
# The SDK is a workspace: node_modules only links to it.
COPY sdk/package.json sdk/
COPY --from=build /build/sdk/dist sdk/dist
# The migrations are read at run time, from where they are written.
COPY service/storage/sqlite/migrations service/storage/sqlite/migrations
COPY service/storage/mssql/migrations service/storage/mssql/migrations

# The database belongs to the unprivileged user, the program to root: the service cannot change its own code.
RUN install -d -o node -g node -m 0750 /data
VOLUME /data
USER node

ENV NODE_ENV=production \
    CHOKAQ_HOST=0.0.0.0 \
    CHOKAQ_PORT=8080 \
    CHOKAQ_SQLITE_PATH=/data/chokaq.db
EXPOSE 8080

# Liveness, not readiness: a database that is away or a service that drains is not cured by another start.
HEALTHCHECK --interval=10s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.CHOKAQ_PORT}/livez`).then(answer => process.exit(answer.ok ? 0 : 1), () => process.exit(1))"]

# Node.js itself is process 1: it receives SIGTERM, winds down and ends with 0. Allow it 45 s (`--stop-timeout 45`).
STOPSIGNAL SIGTERM
ENTRYPOINT ["node", "dist/service/cli/main.js"]
CMD ["serve"]
