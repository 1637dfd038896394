/**
 * The names and accounts of this product, in one table. After a change run `node scripts/release/manifests.mjs`: it writes
 * them into every manifest, workflow, page and test. `@symposium-dev/…` stays: these packages are never published.
 */
export const product = {
  /** The name of the extension within its publisher, and of archives. */
  id: "symposium",
  /** The Marketplace refuses a display name that another publisher uses. */
  name: "Symposium",
  /** The Marketplace's publisher and Open VSX's namespace: a vsix names one for both. */
  publisher: "symposium-dev",
  npmPackage: "symposium-acp-agent",
  command: "symposium-acp-agent",
  description: "Any coding agent with a memory, package sources, quieter tests and IDE operations",
  repository: "https://github.com/symposium-dev/symposium",
  site: "https://symposium-dev.github.io/symposium/",
  authors: ["The Symposium contributors"],
  license: "MIT",
  /** Users have up to 1.3.0 of the original project, under the same names in the Marketplace and in Zed's gallery. */
  firstVersion: "2.0.0",
};

/** The extension's id in VS Code. */
export const extensionId = `${product.publisher}.${product.id}`;

/** `owner/name` of the repository on GitHub. */
export const repositoryPath = new URL(product.repository).pathname.slice(1);
