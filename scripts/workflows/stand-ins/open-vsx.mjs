import { isTrusted } from "./id-tokens.mjs";
import { serve } from "./serve.mjs";
import { vsixIdentity } from "./vsix-identity.mjs";

const version = "1.4.0";
const audience = "open-vsx";

/**
 * Open VSX on the loopback, with one namespace (or none, undefined) and its `versions`; `token` is the only one that it
 * knows. Refuses an expired token and a version twice. `faults`, HTTP statuses, answer the next uploads.
 */
export async function startOpenVsx(options = {}) {
  const { idTokens, repository, namespace = "symposium-dev", token = "open-vsx-token", versions = [] } = options;
  const state = { namespace, versions, isExpired: false, faults: options.faults ?? [], uploads: 0 };
  const known = new Set([token]);
  const { address, close } = await serve(async ({ path, headers, bytes, json }) => {
    if (path === "/api/version") return [200, { version, trustedPublishingAudience: audience }];
    if (path === "/api/-/trusted-publishing/token") return grant(json());
    const isKnown = known.has(headers.authorization?.replace("Bearer ", "")) && !state.isExpired;
    if (path === "/api/-/publish") return isKnown ? take(bytes) : refuse();
    if (path === `/api/${state.namespace}/verify-pat`) return isKnown ? [200, { success: "Valid token" }] : refuse();
    if (path === `/api/${state.namespace}`) return [200, { name: state.namespace, extensions: {} }];
    if (path.endsWith("/size-limit")) return [200, { maxExtensionSize: 2 ** 29 }];
    return [404, { error: `Not found: ${path}` }];
  });
  return { address, close, state };

  function grant({ token: idToken }) {
    if (!isTrusted(idTokens.claimsOf(idToken, audience), repository)) return [403, { error: "No trusted publisher." }];
    known.add("for-github");
    return [201, { value: "for-github" }];
  }

  async function take(bytes) {
    state.uploads++;
    const fault = state.faults.shift();
    if (fault !== undefined) return [fault, { error: `the stand-in answers ${fault}` }];
    const { publisher, name, version: made, target } = await vsixIdentity(bytes);
    if (publisher !== state.namespace) return [400, { error: `Unknown publisher: ${publisher}` }];
    if (state.versions.some((had) => had.version === made && had.target === (target ?? "universal")))
      return [400, { error: `Extension ${publisher}.${name} ${made} (${target}) is already published.` }];
    state.versions.push({ version: made, target: target ?? "universal" });
    return [201, { namespace: publisher, name, version: made, files: {} }];
  }

  function refuse() {
    return [401, { error: "Invalid access token." }];
  }
}
