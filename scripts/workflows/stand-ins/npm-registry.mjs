import { isTrusted } from "./id-tokens.mjs";
import { serve } from "./serve.mjs";

/**
 * An npm registry on the loopback. `packages` has version lists by package name; `token` is the only one that it knows, and
 * `isExpired` refuses that as well. Refuses, like the real one, a version twice, a package that a trusted publisher would
 * create, and who does not sign in. `published` maps names to versions with their tarballs.
 */
export async function startNpmRegistry({
  idTokens,
  repository,
  packages = {},
  token = "npm-token",
  isExpired = false,
}) {
  const state = { published: new Map(Object.entries(packages)), isExpired };
  const granted = new Set([`Bearer ${token}`]);
  const { address, close } = await serve((asked) => {
    const exchange = "/-/npm/v1/oidc/token/exchange/package/";
    if (asked.path.startsWith(exchange)) return grant(asked.path.slice(exchange.length), bearer(asked));
    const [, name, file] = /^\/((?:@[^/]+\/)?[^/]+)(?:\/-\/(.+))?$/.exec(asked.path) ?? [];
    if (asked.method === "PUT") return put(name, asked);
    const versions = state.published.get(name);
    if (versions === undefined) return [404, { error: "Not found" }];
    return file === undefined ? [200, packument(name, versions)] : [200, tarball(versions, file)];
  });
  return { address, close, state };

  function grant(name, idToken) {
    if (!isTrusted(idTokens.claimsOf(idToken, "npm:127.0.0.1"), repository)) return [401, { message: "Not trusted." }];
    if (!state.published.has(name)) return [404, { message: `Package ${name} does not exist.` }];
    if (state.isExpired) return [401, { message: "The ID token has expired." }];
    granted.add(`Bearer for-${idToken}`);
    return [201, { token: `for-${idToken}` }];
  }

  function put(name, { headers, json }) {
    if (!granted.has(headers.authorization) || state.isExpired) return [401, { error: "The token has expired." }];
    const { versions, _attachments: attachments } = json();
    const [[version, manifest]] = Object.entries(versions);
    const all = state.published.get(name) ?? {};
    if (version in all)
      return [403, { error: `You cannot publish over the previously published versions: ${version}.` }];
    const [{ data }] = Object.values(attachments);
    state.published.set(name, { ...all, [version]: { manifest, bytes: Buffer.from(data, "base64") } });
    return [201, { ok: true }];
  }

  function packument(name, versions) {
    const entries = Object.entries(versions).map(([version, { manifest }]) => {
      const dist = { ...manifest.dist, tarball: `${address}/${name}/-/${version}.tgz` };
      return [version, { ...manifest, name, version, dist }];
    });
    return { name, "dist-tags": { latest: entries.at(-1)?.[0] }, versions: Object.fromEntries(entries) };
  }

  function tarball(versions, file) {
    return versions[file.replace(/\.tgz$/, "")].bytes;
  }

  function bearer({ headers }) {
    return headers.authorization?.replace(/^Bearer /, "");
  }
}
