import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * esbuild's plugin that takes of undici what `core/src/node/proxied-fetch` uses of it: its `fetch`, and the agent for proxies of
 * the environment. The package as a whole brings WebSockets, caches, mocks and more, and its parser of HTTP a second time, for
 * processors with wide instructions: without it, half of the size is left.
 */
export const undiciParts = {
  name: "undici-parts",
  setup(build) {
    build.onResolve({ filter: /^undici$/ }, ({ path }) => ({ path, namespace: "undici-parts" }));
    build.onLoad({ filter: /./, namespace: "undici-parts" }, () => ({
      contents: `const Dispatcher = require("undici/lib/dispatcher/dispatcher.js");
        // As its index does; the agent calls it for the tunnel.
        Dispatcher.prototype.connect = require("undici/lib/api/api-connect.js");
        exports.EnvHttpProxyAgent = require("undici/lib/dispatcher/env-http-proxy-agent.js");
        exports.fetch = require("undici/lib/web/fetch/index.js").fetch;`,
      resolveDir: root,
    }));
    build.onResolve({ filter: /\/llhttp_simd-wasm\.js$/ }, ({ path, resolveDir }) =>
      build.resolve(path.replace("llhttp_simd-wasm", "llhttp-wasm"), { resolveDir, kind: "require-call" }),
    );
  },
};
