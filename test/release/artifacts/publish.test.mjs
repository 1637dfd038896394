import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { checksumsName, sha256Of } from "../../../scripts/release/checksums.mjs";
import { product } from "../../../scripts/release/identity.mjs";
import { verdaccioProgram } from "../../../scripts/release/release-tools.mjs";
import { names, releaseFolder, root, version } from "../support/artifacts.mjs";
import { startMarketplace } from "../support/marketplace-stub.mjs";

const limitMs = 400_000;

describe("publishing", function () {
  this.timeout(limitMs);
  let folder;
  let made;
  before(async () => (made = await releaseFolder()));
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "symposium-publish-"));
    await mkdir(join(folder, "release"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  async function publish(place, words, env = {}) {
    const release = join(folder, "release");
    const names = (await readdir(release)).filter((name) => name !== checksumsName);
    const lines = names.map(async (name) => `${await sha256Of(join(release, name))}  ${name}\n`);
    await writeFile(join(release, checksumsName), (await Promise.all(lines)).join(""));
    const all = ["scripts/release/publish.mjs", place, release, ...words];
    const userConfig = { npm_config_userconfig: join(folder, ".npmrc"), GITHUB_ACTIONS: "" };
    const child = spawn("node", all, { cwd: root, env: { ...process.env, ...userConfig, ...env } });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(child, "close");
    return { code, output };
  }

  describe("to an npm registry", () => {
    let registry;
    let address;
    beforeEach(async () => {
      const config = join(folder, "config.yaml");
      const anyone = `packages:\n  '**':\n    access: $all\n    publish: $anonymous\n`;
      await writeFile(config, `storage: ${join(folder, "storage")}\n${anyone}log: { type: stdout, level: info }\n`);
      address = undefined;
      // It takes no port of the system's choice, and somebody else may have got the one that was free: then it ends.
      for (let attempt = 0; address === undefined && attempt < 5; attempt++) {
        const words = [await verdaccioProgram(), "--config", config, "--listen", `127.0.0.1:${await freePort()}`];
        registry = spawn("node", words, { stdio: ["ignore", "pipe", "inherit"] });
        for await (const line of createInterface({ input: registry.stdout })) {
          address = /http:\/\/127\.0\.0\.1:[1-9]\d*/.exec(line)?.[0];
          if (address !== undefined) break;
        }
      }
      registry.stdout.resume();
      await writeFile(join(folder, ".npmrc"), `${address.slice("http:".length)}/:_authToken=nobody\n`);
      await cp(join(made, names.npm), join(folder, "release", names.npm));
    });
    afterEach(async () => {
      const gone = once(registry, "exit");
      registry.kill();
      await gone;
    });

    it("makes the command start by its name from there, and does nothing the second time", async () => {
      const words = ["--registry", address];
      assert.match((await publish("npm", words)).output, /^symposium-.+\.tgz is published\.$/m);
      const place = join(folder, "elsewhere");
      await mkdir(place);
      const said = await run("npm", ["exec", "--yes", ...words, "--", product.npmPackage, "--version"], place);
      assert.match(said, /^symposium-acp-agent \d/m);
      assert.deepEqual(
        await publish("npm", words).then(({ code, output }) => [code, / is there already\./.test(output)]),
        [0, true],
      );
    });
  });

  describe("to Open VSX", () => {
    let server;
    let received;
    let answers;
    beforeEach(async () => {
      received = [];
      server = createServer(async (request, response) => {
        const chunks = [];
        for await (const chunk of request) chunks.push(chunk);
        received.push({
          path: new URL(request.url ?? "", "http://stub").pathname,
          bytes: Buffer.concat(chunks).length,
        });
        if (!received.at(-1).path.endsWith("/publish")) {
          received.pop();
          response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ version: "0.30.0" }));
          return;
        }
        const [status, body] = answers.shift() ?? [500, { error: "no answer is left" }];
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      await cp(join(made, names.vsix), join(folder, "release", names.vsix));
    });
    afterEach(() => server.close());

    const words = () => ["--registry", `http://127.0.0.1:${server.address().port}`, "--pause", "10"];
    const published = { namespace: "symposium-dev", name: "symposium", version: "0.1.0", files: {} };

    it("sends the file once", async () => {
      answers = [[201, published]];
      const { code, output } = await publish("open-vsx", words(), { OVSX_PAT: "token" });
      assert.deepEqual([code, / is published\./.test(output)], [0, true], output);
      assert.deepEqual(
        received.map(({ path }) => path),
        ["/api/-/publish"],
      );
    });

    it("takes a version that is there already for published", async () => {
      answers = [[400, { error: "Extension symposium-dev.symposium 0.1.0 is already published." }]];
      const { code, output } = await publish("open-vsx", words(), { OVSX_PAT: "token" });
      assert.deepEqual([code, / is there already\./.test(output)], [0, true], output);
    });

    it("tries again after an upload that broke off, and does not show the token", async () => {
      answers = [
        [502, { error: "bad gateway" }],
        [201, published],
      ];
      const { code, output } = await publish("open-vsx", words(), { OVSX_PAT: "very-secret-token" });
      assert.deepEqual([code, received.length], [0, 2], output);
      assert.ok(!output.includes("very-secret-token"));
    });

    it("asks for the token before anything is sent", async () => {
      const { code, output } = await publish("open-vsx", words(), { OVSX_PAT: "" });
      assert.deepEqual([code, output, received], [1, "OVSX_PAT is not set: it is the token of open-vsx.\n", []]);
    });
  });

  describe("to the Marketplace", () => {
    let marketplace;
    beforeEach(async () => {
      await cp(join(made, names.vsix), join(folder, "release", names.vsix));
    });
    afterEach(() => marketplace?.close());

    async function publishTo(options) {
      marketplace = await startMarketplace(options);
      const env = { VSCE_PAT: "very-secret-token", VSCE_MARKETPLACE_URL: marketplace.address };
      const { code, output } = await publish("marketplace", ["--pause", "10"], env);
      assert.ok(!output.includes("very-secret-token"));
      const [outcome] = /is published\.|is there already\./.exec(output) ?? [output];
      return { code, outcome, methods: marketplace.uploads.map(({ method }) => method) };
    }

    it("sends a new extension once", async () => {
      assert.deepEqual(await publishTo(), { code: 0, outcome: "is published.", methods: ["POST"] });
    });

    it("sends a new version of an extension that is there", async () => {
      const options = { versions: [{ version: "0.0.1" }] };
      assert.deepEqual(await publishTo(options), { code: 0, outcome: "is published.", methods: ["PUT"] });
    });

    it("sends nothing when the version is there already", async () => {
      assert.deepEqual(await publishTo({ versions: [{ version }] }), {
        code: 0,
        outcome: "is there already.",
        methods: [],
      });
    });

    it("takes a version that came there meanwhile for published", async () => {
      const options = { versions: [{ version: "0.0.1" }], faults: [409] };
      assert.deepEqual(await publishTo(options), { code: 0, outcome: "is there already.", methods: ["PUT"] });
    });

    it("tries again after an upload that broke off", async () => {
      const options = { versions: [{ version: "0.0.1" }], faults: [502] };
      assert.deepEqual(await publishTo(options), { code: 0, outcome: "is published.", methods: ["PUT", "PUT"] });
    });
  });

  async function freePort() {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address();
    server.close();
    await once(server, "close");
    return port;
  }

  async function run(program, words, cwd = root) {
    const env = { ...process.env, npm_config_userconfig: join(folder, ".npmrc") };
    const child = spawn(program, words, { cwd, env, stdio: ["ignore", "pipe", "pipe"] });
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text) => (output += text));
    const [code] = await once(child, "close");
    assert.equal(code, 0, `${program} ${words.join(" ")}:\n${output}`);
    return output;
  }
});
