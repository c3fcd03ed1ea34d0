# Serves the local product, with its data in /data. compose.yaml opens its ports to this machine only.
FROM node:24-bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY scripts/install.mjs scripts/install.mjs
COPY scripts/install scripts/install
RUN node scripts/install.mjs run && npm cache clean --force && mkdir /data && chown -R node:node /data /app
COPY --chown=node:node . .
USER node
ENV SLUICE_HOST=0.0.0.0 SLUICE_DATA_DIR=/data
VOLUME /data
EXPOSE 8787 8788
HEALTHCHECK --start-period=60s CMD ["node", "-e", "fetch('http://127.0.0.1:8787/healthz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["npm", "start"]
