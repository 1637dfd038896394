import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checksumsName, sha256Of } from "../../../scripts/release/checksums.mjs";
import { product } from "../../../scripts/release/identity.mjs";
import { startMarketplace } from "../../../scripts/workflows/stand-ins/marketplace.mjs";
import { startNpmRegistry } from "../../../scripts/workflows/stand-ins/npm-registry.mjs";
import { startOpenVsx } from "../../../scripts/workflows/stand-ins/open-vsx.mjs";
import { names, releaseFolder, root, version } from "../support/artifacts.mjs";

const limitMs = 400_000;
const token = "very-secret-token";

describe("publishing", function () {
  this.timeout(limitMs);
  let folder;
  let made;
  let registry;
  before(async () => (made = await releaseFolder()));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-publish-"));
    await mkdir(join(folder, "release"));
  });
  afterEach(async () => {
    registry?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Publishes one file of the release, and returns the exit code and the outcome. */
  async function publish(place, file, env) {
    const release = join(folder, "release");
    await cp(join(made, file), join(release, file));
    const names = (await readdir(release)).filter((name) => name !== checksumsName);
    const lines = names.map(async (name) => `${await sha256Of(join(release, name))}  ${name}\n`);
    await writeFile(join(release, checksumsName), (await Promise.all(lines)).join(""));
    const { code, output } = await run("node", ["scripts/release/publish.mjs", place, release, "--pause", "10"], env);
    assert.ok(!output.includes(token), output);
    const [outcome] = /is published\.|is there already\./.exec(output) ?? [output];
    return { code, outcome };
  }

  const published = { code: 0, outcome: "is published." };
  const thereAlready = { code: 0, outcome: "is there already." };

  it("to npm makes the command start by its name from there, and does nothing the second time", async () => {
    registry = await startNpmRegistry({ token });
    const address = `${registry.address}/`;
    const env = { NPM_TOKEN: token, NPM_REGISTRY_URL: address };
    assert.deepEqual(await publish("npm", names.npm, env), published);
    const words = [
      "exec",
      "--yes",
      "--registry",
      address,
      "--cache",
      join(folder, "cache"),
      "--",
      product.npmPackage,
      "--version",
    ];
    assert.match((await run("npm", words, env, folder)).output, /^symposium-acp-agent \d/m);
    assert.deepEqual(await publish("npm", names.npm, env), thereAlready);
  });

  describe("to Open VSX", () => {
    async function publishTo(options) {
      registry = await startOpenVsx({ token, ...options });
      const { code, outcome } = await publish("open-vsx", names.vsix, {
        OVSX_PAT: token,
        OVSX_REGISTRY_URL: registry.address,
      });
      return { code, outcome, uploads: registry.state.uploads };
    }

    it("sends the file once", async () => {
      assert.deepEqual(await publishTo({}), { ...published, uploads: 1 });
    });

    it("takes a version that is there already for published", async () => {
      const versions = [{ version, target: "universal" }];
      assert.deepEqual(await publishTo({ versions }), { ...thereAlready, uploads: 1 });
    });

    it("tries again after an upload that broke off", async () => {
      assert.deepEqual(await publishTo({ faults: [502] }), { ...published, uploads: 2 });
    });

    it("does not try again when the token is refused", async () => {
      registry = await startOpenVsx({ token: "another" });
      const env = { OVSX_PAT: token, OVSX_REGISTRY_URL: registry.address };
      const { code, outcome } = await publish("open-vsx", names.vsix, env);
      assert.deepEqual([code, outcome.match(/Invalid access token/g)?.length], [1, 1]);
    });
  });

  describe("to the Marketplace", () => {
    async function publishTo(options) {
      registry = await startMarketplace({ token, ...options });
      const env = { VSCE_PAT: token, VSCE_MARKETPLACE_URL: registry.address };
      const { code, outcome } = await publish("marketplace", names.vsix, env);
      return { code, outcome, methods: registry.state.uploads.map(({ method }) => method) };
    }

    it("sends a new extension once", async () => {
      assert.deepEqual(await publishTo(), { ...published, methods: ["POST"] });
    });

    it("sends a new version of an extension that is there", async () => {
      const options = { versions: [{ version: "0.0.1" }] };
      assert.deepEqual(await publishTo(options), { ...published, methods: ["PUT"] });
    });

    it("sends nothing when the version is there already", async () => {
      assert.deepEqual(await publishTo({ versions: [{ version }] }), { ...thereAlready, methods: [] });
    });

    it("takes a version that came there meanwhile for published", async () => {
      const options = { versions: [{ version: "0.0.1" }], faults: [409] };
      assert.deepEqual(await publishTo(options), { ...thereAlready, methods: ["PUT"] });
    });

    it("tries again after an upload that broke off", async () => {
      const options = { versions: [{ version: "0.0.1" }], faults: [502] };
      assert.deepEqual(await publishTo(options), { ...published, methods: ["PUT", "PUT"] });
    });

    it("fails when another publisher has the display name", async () => {
      const others = [{ displayName: product.name }];
      const { code, outcome } = await publishTo({ others });
      assert.equal(code, 1);
      assert.match(outcome, /is not published:[^]*already exists in the Marketplace/);
    });
  });

  async function run(program, words, env, cwd = root) {
    const userConfig = { npm_config_userconfig: join(folder, ".npmrc"), GITHUB_ACTIONS: "", AZURE_CLIENT_ID: "" };
    const child = spawn(program, words, { cwd, env: { ...process.env, ...userConfig, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(child, "close");
    return { code, output };
  }
});
