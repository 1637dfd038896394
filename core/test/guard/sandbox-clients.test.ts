import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { leaveOut } from "../needs-cargo.js";
import { hostRule, httpServer, needsNamespaces, SandboxWorld } from "./sandbox-network-fixture.js";

const name = "packages.example.test";

/** Programs that agents run, each with one request, and what it says once that is answered. */
const clients: readonly {
  readonly program: string;
  readonly words: (address: string) => readonly string[];
  readonly env?: (address: string) => Readonly<Record<string, string>>;
  readonly says: RegExp;
}[] = [
  { program: "curl", words: (address) => ["curl", "-sS", `${address}/plain`], says: /^plain text/ },
  {
    program: "git",
    words: (address) => ["git", "ls-remote", `${address}/repo`],
    says: /^a{40}\trefs\/heads\/main$/m,
  },
  {
    program: "npm",
    words: (address) => ["npm", "view", "quokka", "version", "--registry", `${address}/npm/`, "--fetch-retries", "0"],
    says: /^1\.2\.3/,
  },
  {
    program: "pip3",
    words: (address) => {
      const host = new URL(address).hostname;
      return [
        "pip3",
        "--isolated",
        "index",
        "versions",
        "quokka",
        "--index-url",
        `${address}/simple/`,
        "--trusted-host",
        host,
      ];
    },
    says: /1\.2\.3/,
  },
  {
    program: "cargo",
    words: () => ["cargo", "search", "quokka", "--registry", "example"],
    env: (address) => ({ CARGO_REGISTRIES_EXAMPLE_INDEX: `sparse+${address}/cargo/` }),
    says: /^quokka = "1\.2\.3"/,
  },
];

describe("programs in a sandbox's network", function () {
  this.timeout(300_000);
  before(function () {
    needsNamespaces(this);
  });

  for (const { program, words, env, says } of clients) {
    it(`are ${program}, which waits while the user is asked`, async function () {
      if (spawnSync(program, ["--version"]).status !== 0) leaveOut(this, `${program} does not run here`);
      await using server = await httpServer((request, response) => {
        const { url = "" } = request;
        const place = `http://${request.headers.host ?? ""}`;
        const answers: Readonly<Record<string, string>> = {
          "/plain": "plain text",
          "/repo/info/refs": `${"a".repeat(40)}\trefs/heads/main\n`,
          "/repo/HEAD": "ref: refs/heads/main\n",
          "/npm/quokka": JSON.stringify({
            name: "quokka",
            "dist-tags": { latest: "1.2.3" },
            versions: { "1.2.3": { name: "quokka", version: "1.2.3" } },
          }),
          "/simple/quokka/": '<a href="quokka-1.2.3-py3-none-any.whl">quokka-1.2.3-py3-none-any.whl</a>',
          "/cargo/config.json": JSON.stringify({ dl: `${place}/dl`, api: place }),
          "/api/v1/crates": JSON.stringify({
            crates: [{ name: "quokka", max_version: "1.2.3", description: "x" }],
            meta: { total: 1 },
          }),
        };
        const text = answers[url.split("?", 1)[0] ?? ""];
        response.writeHead(text === undefined ? 404 : 200, {
          "Content-Type": url.startsWith("/simple") ? "text/html" : "text/plain",
        });
        response.end(text);
      });
      await using world = new SandboxWorld({
        rules: [hostRule("allow", `127.0.0.1:${server.port}`)],
        names: { [name]: ["127.0.0.1"] },
        answer: () => new Promise((resolve) => setImmediate(resolve, "session")),
      });
      const folder = realpathSync(mkdtempSync(join(tmpdir(), "client-")));
      const address = `http://${name}:${server.port}`;
      const given = {
        ...env?.(address),
        npm_config_cache: "/dev/shm/npm",
        TMPDIR: "/dev/shm",
        PIP_DISABLE_PIP_VERSION_CHECK: "1",
        PIP_NO_CACHE_DIR: "1",
      };
      const { stdout, stderr } = await world.run(words(address), given, folder);
      rmSync(folder, { recursive: true });
      assert.match(stdout, says, stderr);
      assert.deepEqual(world.asked, [`${name}:${server.port}`]);
    });
  }

  it("are Node's own fetch, where it obeys the variables of a proxy, and fail plainly where it does not", async () => {
    await using server = await httpServer((_request, response) => void response.end("fetched"));
    await using world = new SandboxWorld({
      rules: [hostRule("allow", `127.0.0.1:${server.port}`, `${name}:${server.port}`)],
      names: { [name]: ["127.0.0.1"] },
    });
    const script = `fetch("http://${name}:${server.port}/").then((r) => r.text()).then(console.log, (e) => console.log(e.cause?.code));`;
    const { stdout } = await world.run([process.execPath, "-e", script]);
    const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
    const obeys = major > 24 || (major === 24 && minor >= 5) || (major === 22 && minor >= 21);
    assert.equal(stdout.trim(), obeys ? "fetched" : "EAI_AGAIN");
  });
});
