import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { OAuthServer } from "../../../testing/node/oauth-server.js";

const modules = new URL("../../../src/", import.meta.url);
const script = `
  const { mcp } = await import("${modules.href}app/cli/mcp.js");
  const { messageOf } = await import("${modules.href}base/symposium-error.js");
  process.exitCode = await mcp(process.argv.slice(1)).catch((failure) => {
    process.stderr.write(messageOf(failure) + "\\n");
    return 2;
  });`;

interface Run {
  readonly code: unknown;
  readonly stdout: string;
  readonly stderr: string;
}

describe("mcp login and mcp secret", function () {
  this.timeout(120_000);

  let folder: string;
  let bin: string;
  /** Working directory of the commands. */
  let project: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "mcp-login-")));
    bin = join(folder, "bin");
    project = join(folder, "project");
    await mkdir(bin);
    await mkdir(project);
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const configure = (mcpServers: object, inputs: readonly object[] = []): Promise<void> =>
    writeFile(join(folder, "config.jsonc"), JSON.stringify({ mcpServers, inputs }));

  /** Has the user allow what the project's files ask for. */
  async function allow(): Promise<void> {
    const words = [project];
    const source = script
      .replaceAll("app/cli/mcp.js", "app/cli/trust.js")
      .replace("{ mcp }", "{ trust }")
      .replace("await mcp(", "await trust(");
    const child = spawn(process.execPath, ["--input-type=module", "-e", source, "--", ...words], {
      env: environment(),
      cwd: project,
    });
    const code = await new Promise((resolve) => child.once("close", resolve));
    assert.equal(code, 0);
  }

  const environment = (): NodeJS.ProcessEnv => ({
    PATH: `${bin}${delimiter}${process.env["PATH"] ?? ""}`,
    HOME: folder,
    USERPROFILE: folder,
    SYMPOSIUM_CONFIG_DIR: folder,
    SYMPOSIUM_SECRET_STORE: "file",
  });

  /** `opens` gets the address that the command prints. */
  function run(
    words: readonly string[],
    input = "",
    opens: (url: string) => void = () => undefined,
    more: NodeJS.ProcessEnv = {},
  ): Promise<Run> {
    const env = { ...environment(), ...more };
    const child = spawn(process.execPath, ["--input-type=module", "-e", script, "--", ...words], { env, cwd: project });
    let [stdout, stderr, isOpened] = ["", "", false];
    child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on("data", (chunk: Buffer) => {
      stderr += chunk.toString();
      const [url] = /http:\S+\/authorize\S+(?=\n)/.exec(stderr) ?? [];
      if (url !== undefined && !isOpened) opens(url);
      isOpened ||= url !== undefined;
    });
    // A command that needs no input may have ended.
    child.stdin.on("error", () => undefined).end(input);
    return new Promise((resolve) => {
      child.once("close", (code) => {
        const shown = (text: string): string => text.replaceAll(folder, "~");
        resolve({ code, stdout: shown(stdout), stderr: shown(stderr) });
      });
    });
  }

  const browse = (url: string): void => void fetch(url).catch(() => undefined);
  const plain = "The values are in ~/secrets.json, unencrypted but readable only by you.";

  it("keeps a secret from standard input, lists its name and forgets it", async () => {
    assert.deepEqual(await run(["secret", "set", "token"], "s3cr3t value\n"), {
      code: 0,
      stdout: `To use the value, write \${secret:token} in a server's entry. ${plain}\n`,
      stderr: "",
    });
    assert.deepEqual(await run(["secret", "list"]), { code: 0, stdout: "token\n", stderr: `${plain}\n` });
    assert.match(await readFile(join(folder, "secrets.json"), "utf8"), /"secret:token": "s3cr3t value"/);
    assert.equal((await run(["secret", "remove", "token"])).stdout, "token was removed.\n");
    const again = await run(["secret", "remove", "token"]);
    assert.deepEqual([again.code, again.stderr.startsWith("No value is stored for token.")], [2, true]);
  });

  it("answers with JSON about a secret, without its value", async () => {
    const protection = plain;
    const answers: readonly (readonly [readonly string[], object])[] = [
      [["set", "token"], { kept: "token", protection }],
      [["list"], { names: ["token"], protection }],
      [["remove", "token"], { removed: "token" }],
      [["list"], { names: [], protection }],
    ];
    for (const [words, expected] of answers) {
      const { code, stdout } = await run(["secret", ...words, "--json"], "s3cr3t value\n");
      assert.deepEqual([code, JSON.parse(stdout)], [0, expected], words.join(" "));
    }
  });

  it("takes no value on the command line, no empty one, and no name that is none", async () => {
    for (const words of [["token", "value"], ["a b"], ["../x"], []]) {
      const { code, stdout } = await run(["secret", "set", ...words], "x");
      assert.deepEqual([code, stdout], [2, ""], words.join(" "));
    }
    assert.equal((await run(["secret", "set", "token"])).code, 2);
  });

  it("signs in by the address that it prints, and out again", async () => {
    await using server = await OAuthServer.start();
    await configure({ vault: { url: server.url } });
    const { code, stdout, stderr } = await run(["login", "vault", "--no-browser"], "", browse);
    assert.deepEqual([code, stdout], [0, `You are signed in to "vault". ${plain}\n`]);
    assert.deepEqual(
      server.given.filter((secret) => (stdout + stderr).includes(secret)),
      [],
    );
    const without = `The sign-in to "vault" was removed. ${server.issuer} has no way to end it: it stays valid there until it expires.`;
    assert.equal((await run(["logout", "vault"])).stdout, `${without}\n`);
    assert.equal((await run(["logout", "vault"])).stdout, 'You were not signed in to "vault".\n');
  });

  it("signs in to a server of this folder's project once that is allowed, and has its sign-in ended there", async () => {
    await using server = await OAuthServer.start({ revocation: "works" });
    await configure({});
    await mkdir(join(project, ".symposium"), { recursive: true });
    await writeFile(
      join(project, ".symposium", "config.jsonc"),
      JSON.stringify({ mcpServers: { vault: { url: server.url } } }),
    );
    const refused = await run(["login", "vault", "--no-browser"], "", browse);
    assert.deepEqual(refused.code, 2);
    assert.match(
      refused.stderr,
      /"vault" belongs to this folder's project \(.*config\.jsonc\), which you have not allowed/,
    );
    assert.equal(server.registered.length, 0);
    assert.match(
      (await run(["list"])).stdout,
      /^vault {2}not allowed yet: .*\n.*\n {4}agents: all; from ~.*config\.jsonc\n$/,
    );
    await allow();
    assert.equal((await run(["list"])).stdout.split("\n")[0], "vault  on");
    const { stdout } = await run(["login", "vault", "--no-browser"], "", browse);
    assert.equal(stdout, `You are signed in to "vault". ${plain}\n`);
    const entries = { vault: { url: server.url }, other: { command: "other-mcp" } };
    await writeFile(join(project, ".symposium", "config.jsonc"), JSON.stringify({ mcpServers: entries }));
    assert.match((await run(["list"])).stdout, /^vault {2}not allowed yet/);
    assert.equal(
      (await run(["logout", "vault"])).stdout,
      `The sign-in to "vault" was removed, and ended at ${server.issuer}.\n`,
    );
    assert.equal(server.revoked.length, 2);
  });

  it("ends a sign-in also where a value is missing by now: of headers, and of the address where one alone can be meant", async () => {
    await using server = await OAuthServer.start({ revocation: "works" });
    const url = new URL(server.url);
    const entry = { url: `${url.origin}/\${env:VAULT_PATH}`, headers: { "X-Org": "${env:VAULT_ORG}" } };
    await configure({ vault: entry });
    const values = { VAULT_PATH: url.pathname.slice(1), VAULT_ORG: "acme" };
    assert.equal((await run(["login", "vault", "--no-browser"], "", browse, values)).code, 0);
    const ended = `The sign-in to "vault" was removed, and ended at ${server.issuer}.\n`;
    const { VAULT_PATH } = values;
    assert.deepEqual(await run(["logout", "vault"], "", undefined, { VAULT_PATH }), {
      code: 0,
      stdout: ended,
      stderr: "",
    });
    assert.equal((await run(["login", "vault", "--no-browser"], "", browse, values)).code, 0);
    assert.equal((await run(["logout", "vault"])).stdout, ended);
    assert.equal((await run(["logout", "vault"])).stdout, 'You were not signed in to "vault".\n');
  });

  it("knows the servers that an editor gives it, and hands them to nobody", async () => {
    await configure({});
    const given = { SYMPOSIUM_MCP_SERVERS: JSON.stringify({ files: { command: "files-mcp" }, broken: {} }) };
    const { stdout, stderr } = await run(["list"], "", undefined, given);
    assert.equal(stdout, "files  on\n    files-mcp\n    agents: all; from the editor's settings\n");
    assert.match(stderr, /Editor settings: .*broken/);
  });

  it("takes none of two servers of one name", async () => {
    const entry = { url: "https://mine.example/mcp" };
    await configure({ vault: entry });
    const editors = (url: string): NodeJS.ProcessEnv => ({
      SYMPOSIUM_MCP_SERVERS: JSON.stringify({ vault: { url } }),
    });
    for (const verb of ["login", "logout"]) {
      const { code, stderr } = await run([verb, "vault"], "", undefined, editors("https://theirs.example/mcp"));
      assert.equal(code, 2);
      assert.match(
        stderr,
        /More than one MCP server is "vault": of ~.*config\.jsonc, and of the editor's settings\. Rename one of them/,
      );
    }
    const same = await run(["logout", "vault"], "", undefined, editors(entry.url));
    assert.equal(same.stdout, 'You were not signed in to "vault".\n');
  });

  it("opens the browser, by no program of the project and without variables that make one load code", async function () {
    if (process.platform !== "linux") this.skip(); // Elsewhere the system's own program has no other in its place.
    await using server = await OAuthServer.start();
    await configure({ vault: { url: server.url } });
    const opened = join(folder, "opened");
    const seen = join(folder, "seen");
    await writeFile(join(bin, "xdg-open"), `#!/bin/sh\n/usr/bin/env > ${seen}\necho "$1" >> ${opened}\n`);
    await writeFile(join(project, "xdg-open"), `#!/bin/sh\n: > ${folder}/ran\n`, { mode: 0o755 });
    await chmod(join(bin, "xdg-open"), 0o755);
    const browseOnceOpened = async (url: string): Promise<void> => {
      while (!existsSync(opened) || !(await readFile(opened, "utf8")).endsWith("\n")) await delay(20);
      browse(url);
    };
    const path = [project, ".", environment()["PATH"]].join(delimiter);
    const more = { PATH: path, PYTHONPATH: project, BROWSER: join(project, "xdg-open"), DISPLAY: ":7" };
    assert.equal((await run(["login", "vault"], "", (url) => void browseOnceOpened(url), more)).code, 0);
    const names = (await readFile(seen, "utf8")).split("\n").map((line) => line.replace(/=.*/, ""));
    const wanted = ["DISPLAY", "PYTHONPATH", "BROWSER"].filter((name) => names.includes(name));
    assert.deepEqual([wanted, existsSync(join(folder, "ran"))], [["DISPLAY"], false]);
    assert.match(await readFile(opened, "utf8"), new RegExp(`^${server.issuer}/authorize`));
  });

  it("says that the user did not allow it, and what else keeps it from signing in", async () => {
    await using server = await OAuthServer.start({ answer: "deny" });
    await configure({
      vault: { url: server.url },
      program: { command: "true" },
      lacking: { url: "https://a.example/${env:NOBODY}", headers: { A: "${input:org}" } },
      plain: { url: "http://a.example/mcp" },
    });
    const answers = [
      ["vault", 'You did not allow the sign-in to "vault".'],
      ["program", '"program" is a local program and needs no sign-in. All its values are set.'],
      ["lacking", '"lacking" lacks ${env:NOBODY}, ${input:org}.'],
      ["plain", '"plain" has no HTTPS address.'],
      ["nobody", 'There is no MCP server "nobody" in your configuration.'],
    ] as const;
    for (const [name, answer] of answers) {
      const { stdout, stderr } = await run(["login", name, "--no-browser"], "", browse);
      assert.ok((stdout + stderr).includes(answer), `${name}: ${stdout}${stderr}`);
    }
  });
});
