// The outside world of a release on this machine: GitHub's ID tokens and pages, Azure's login and the three registries.
import { chmod, cp, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { product, repositoryPath } from "../release/identity.mjs";
import { startIdTokens } from "./stand-ins/id-tokens.mjs";
import { startMarketplace } from "./stand-ins/marketplace.mjs";
import { startNpmRegistry } from "./stand-ins/npm-registry.mjs";
import { startOpenVsx } from "./stand-ins/open-vsx.mjs";

const azure = { "client-id": "azure-client", "tenant-id": "azure-tenant" };
const tokens = { NPM_TOKEN: "npm-token", VSCE_PAT: "marketplace-token", OVSX_PAT: "open-vsx-token" };

/**
 * Starts stand-ins that keep their files in `folder`, for `runWorkflow`. `way` says how registries are signed in to:
 * "azure" (nobody has a token; the Marketplace asks Azure), "github" (it asks GitHub) or "tokens". `failure` is called
 * with `{ job, step, when }`, where `when` is "before" or "after" the step: true makes the step fail there.
 */
export async function startRehearsal({ folder, way = "azure", failure = () => false }) {
  const idTokens = await startIdTokens();
  const common = { idTokens, repository: repositoryPath };
  const earlier = { manifest: { dist: {} }, bytes: Buffer.alloc(0) };
  const npm = await startNpmRegistry({ ...common, packages: { [product.npmPackage]: { "1.3.0": earlier } } });
  const marketplace = await startMarketplace({
    ...{ ...common, publisher: product.publisher, versions: [{ version: "1.3.0" }], hasOidc: way === "github" },
    ...{ others: [], token: tokens.VSCE_PAT },
  });
  const openVsx = await startOpenVsx({ ...common, namespace: product.publisher });
  const bin = join(folder, "azure-bin");
  const site = join(folder, "site");
  await mkdir(bin, { recursive: true });
  const account = { accessToken: tokens.VSCE_PAT, expiresOn: "2100-01-01 00:00:00.000000", tenant: azure["tenant-id"] };
  await writeFile(join(bin, "az"), `#!/bin/sh\necho '${JSON.stringify(account)}'\n`);
  await chmod(join(bin, "az"), 0o755);
  return {
    npm: npm.state,
    marketplace: marketplace.state,
    openVsx: openVsx.state,
    site: () => readdir(site).catch(() => []),
    failure,
    secrets: way === "tokens" ? tokens : {},
    vars: way === "azure" ? { AZURE_CLIENT_ID: azure["client-id"], AZURE_TENANT_ID: azure["tenant-id"] } : {},
    /** The variables that a job with these permissions in that environment has. */
    variables: ({ permissions, environment, ref }) => ({
      GITHUB_ACTIONS: "true",
      NPM_REGISTRY_URL: `${npm.address}/`,
      VSCE_MARKETPLACE_URL: marketplace.address,
      OVSX_REGISTRY_URL: openVsx.address,
      ...(permissions["id-token"] === "write" &&
        idTokens.requestVariables({
          repository: repositoryPath,
          repository_visibility: "private",
          environment,
          workflow_ref: `${repositoryPath}/.github/workflows/release.yml@${ref}`,
        })),
    }),
    actions: {
      "azure/login": async (given, { addPath, permissions }) => {
        demand(permissions, "id-token");
        for (const [name, value] of Object.entries(azure))
          if (given[name] !== value) throw new Error(`Azure knows no ${name} "${given[name]}".`);
        addPath(bin);
      },
      "actions/attest-build-provenance": async (_, { permissions }) => demand(permissions, "id-token", "attestations"),
      "actions/upload-pages-artifact": async ({ path }, { workspace, artifacts }) =>
        cp(join(workspace, path), join(artifacts, "github-pages"), { recursive: true }),
      "actions/deploy-pages": async (_, { artifacts, permissions }) => {
        demand(permissions, "id-token", "pages");
        await cp(join(artifacts, "github-pages"), site, { recursive: true });
      },
    },
    close: () => {
      for (const { close } of [idTokens, npm, marketplace, openVsx]) close();
    },
  };
}

function demand(permissions, ...names) {
  const missing = names.find((name) => permissions[name] !== "write");
  if (missing !== undefined) throw new Error(`The job lacks the permission ${missing}: write.`);
}
