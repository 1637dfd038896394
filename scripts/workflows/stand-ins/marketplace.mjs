import { serve } from "./serve.mjs";
import { isTrusted } from "./id-tokens.mjs";
import { vsixIdentity } from "./vsix-identity.mjs";

/** The resources of the Marketplace's API that publishing uses, which its clients ask for before anything else. */
const locations = [
  ["a41192c8-9525-4b58-bc86-179fa549d80d", "gallery", "extensions", "_apis/gallery/extensions"],
  ["e11ea35a-16fe-4b80-ab11-c4cab88a0966", "gallery", "extensions", "_apis/gallery/extensions/{publisher}/{extension}"],
  [
    "9461c234-c84c-4ed2-b918-2f0f92ad0a35",
    "securityroles",
    "roleassignments",
    "_apis/securityroles/scopes/{scopeId}/roleassignments/resources/{resourceId}",
  ],
].map(([id, area, resourceName, routeTemplate]) => ({
  ...{ id, area, resourceName, routeTemplate, resourceVersion: 2 },
  ...{ minVersion: "1.0", maxVersion: "7.2", releasedVersion: "7.1" },
}));

/**
 * The VS Code Marketplace on the loopback. `versions` are those of our extension, `others` its other extensions, `token` the
 * only one that it knows. Refuses an expired token, a version twice and a display name that another publisher has.
 * `uploads` has the method and the number of bytes of each upload; `faults`, HTTP statuses, answer the next ones.
 */
export async function startMarketplace(options = {}) {
  const { idTokens, repository, publisher = "symposium-dev", token = "marketplace-token" } = options;
  const { versions = [], others = [], faults = [], isExpired = false, hasOidc = false } = options;
  const state = { versions, others, faults, isExpired, hasOidc, uploads: [] };
  const known = new Set([token]);
  const { address, close } = await serve(async (asked) => {
    const { method, path, headers } = asked;
    if (method === "OPTIONS") return [200, { count: locations.length, value: locations }];
    if (path.endsWith("/extensionquery")) return [200, { results: [{ extensions: state.others }] }];
    if (path.endsWith("/gallery/token")) return grant(asked);
    if (path.includes("/resourceAreas")) return [200, { count: 0, value: [] }];
    const [, password] = Buffer.from(headers.authorization?.replace("Basic ", "") ?? "", "base64")
      .toString()
      .split(":");
    if (!known.has(password) || state.isExpired)
      return [401, { message: "TF400813: The Personal Access Token used has expired." }];
    if (path.includes("/securityroles/")) return [200, { count: 0, value: [] }];
    if (method === "GET") return state.versions.length === 0 ? [404, {}] : [200, { versions: state.versions }];
    return take(asked);
  });
  return { address, close, state };

  function grant({ headers, json }) {
    if (!state.hasOidc) return [404, { message: "The resource cannot be found." }];
    const claims = idTokens.claimsOf(
      headers.authorization.replace("FederatedToken ", ""),
      "marketplace.visualstudio.com",
    );
    if (!isTrusted(claims, repository) || json().publisherName !== publisher) return [401, { message: "Not trusted." }];
    known.add("for-github");
    return [200, { credential: "for-github" }];
  }

  async function take({ method, bytes }) {
    state.uploads.push({ method, bytes: bytes.length });
    const fault = state.faults.shift();
    if (fault !== undefined) return [fault, { message: `the stand-in answers ${fault}` }];
    const { version, target, displayName } = await vsixIdentity(bytes);
    if (state.others.some((other) => other.displayName.toLowerCase() === displayName.toLowerCase()))
      return [400, { message: `The extension '${displayName}' already exists in the Marketplace.` }];
    if (state.versions.some((had) => had.version === version && had.targetPlatform === target))
      return [409, { message: `The version ${version} exists.` }];
    state.versions.push({ version, ...(target !== undefined && { targetPlatform: target }) });
    return [200, { versions: state.versions }];
  }
}
