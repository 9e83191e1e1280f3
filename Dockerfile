# The service behind a proxy: examples/deploy/compose.yaml.

FROM node:24.21.0-slim AS build
WORKDIR /build
COPY . .
# Also builds: `prepare` in package.json.
RUN npm ci

FROM node:24.21.0-slim
ENV NODE_ENV=production PLANNER_ROOT=/data PLANNER_PORT=4747 HOME=/data/home
WORKDIR /app
COPY --from=build /build/package.json /build/LICENSE ./
COPY --from=build /build/schemas schemas
COPY --from=build /build/dist dist
RUN mkdir -p /data/home /backup && chown -R node:node /data /backup && ln -s /app/dist/main.js /usr/local/bin/planner
USER node
VOLUME /data
EXPOSE $PLANNER_PORT
HEALTHCHECK --interval=30s --timeout=3s --start-period=10s CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PLANNER_PORT}/api/v1/health`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/main.js", "serve", "--host", "0.0.0.0"]
