import assert from "node:assert/strict";
import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { request } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { findSandbox } from "../../../src/guard/node/sandbox/probe.js";
import { Seatbelt } from "../../../src/guard/node/sandbox/seatbelt.js";
import { seatbeltFault } from "../../../src/guard/node/sandbox/seatbelt-probe.js";
import { startProgram } from "../../../src/base/node/start-program.js";
import { hostRule, httpServer, SandboxWorld } from "../sandbox-network-fixture.js";

// These run everywhere, with a program in the place of `sandbox-exec` that takes its words and holds nothing.
describe("the start of a program in a sandbox of macOS", function () {
  this.timeout(120_000);
  let folder = "";
  let home = "";
  let project = "";
  let program = "";
  beforeEach(function () {
    if (process.platform === "win32") this.skip();
    folder = realpathSync(mkdtempSync(join(tmpdir(), "seatbelt-test-")));
    home = join(folder, "home");
    project = join(folder, "home", "app");
    program = join(folder, "apply");
    mkdirSync(join(project, ".git"), { recursive: true });
    mkdirSync(join(home, ".codex"));
    writeFileSync(join(home, ".gitconfig"), "[user]\n");
    const pass = 'printf %s "$2" > "$0.profile"\nshift 2\nwhile [ "$1" = -D ]; do shift 2; done\nshift\nexec "$@"\n';
    writeFileSync(program, `#!/bin/sh\n${pass}`, { mode: 0o700 });
  });
  afterEach(() => {
    if (folder !== "") rmSync(folder, { recursive: true });
  });

  const needs = { state: [{ folder: ".codex" }], runsLater: ["config.toml", "rules/"], variables: [/^CODEX_/] };
  const configFolder = (): string => join(home, ".symposium");
  const sandbox = (network?: SandboxWorld, root = project): Seatbelt =>
    new Seatbelt({
      program,
      subject: () => ({ id: "codex", needs, roots: [root], ownPrograms: [], configFolder: configFolder(), home }),
      network: network?.shared,
    });

  /** Runs a Node script in a sandbox. Returns its exit code or start error, its stdout and its stderr. */
  async function run(script: string, confined: Seatbelt): Promise<readonly [unknown, string, string]> {
    const started = startProgram(
      { command: process.execPath, args: ["-e", script], env: {}, cwd: project },
      { env: { ...process.env, AWS_SECRET_ACCESS_KEY: "x" }, confined, stdio: ["ignore", "pipe", "pipe"] },
    );
    if ("startError" in started) return [started.startError, "", ""];
    const { child } = started;
    const exited = once(child, "exit") as Promise<[number | null]>;
    const [out, err] = [child.stdout, child.stderr].map((stream) => (stream ? text(stream) : Promise.resolve("")));
    const [said = "", errors = "", [code]] = await Promise.all([out, err, exited]);
    return [code, said, errors];
  }

  it("has a home of its own, with links to what it shares, a temporary folder that goes with it, and a clean environment", async () => {
    const script = `
      const { readlinkSync, readdirSync } = require("node:fs");
      const { HOME, TMPDIR, TMPPREFIX, AWS_SECRET_ACCESS_KEY: key = "none" } = process.env;
      console.log(JSON.stringify([HOME, readlinkSync(HOME + "/.codex"), readlinkSync(HOME + "/app"), readdirSync(TMPDIR), process.cwd(), key, TMPPREFIX === TMPDIR + "/zsh", TMPDIR]));`;
    const [code, said, errors] = await run(script, sandbox());
    assert.deepEqual([code, errors], [0, ""]);
    const told = JSON.parse(said) as readonly string[];
    const privateHome = join(home, ".symposium", "guard", "home", "codex");
    assert.deepEqual(told.slice(0, -1), [privateHome, join(home, ".codex"), project, [], project, "none", true]);
    assert.equal(existsSync(told.at(-1) ?? ""), false);
    assert.equal(readlinkSync(join(privateHome, ".gitconfig")), join(home, ".gitconfig"));
    assert.match(readFileSync(`${program}.profile`, "utf8"), /^\(version 1\)\n\(deny default\)/);
  });

  it("replaces a link that was put into its home, and does not start where something else is in a link's way", async () => {
    const privateHome = join(home, ".symposium", "guard", "home", "codex");
    mkdirSync(privateHome, { recursive: true });
    symlinkSync("/etc", join(privateHome, ".codex"));
    assert.equal((await run("", sandbox()))[0], 0);
    assert.equal(readlinkSync(join(privateHome, ".codex")), join(home, ".codex"));
    rmSync(join(privateHome, ".codex"));
    mkdirSync(join(privateHome, ".codex"));
    writeFileSync(join(privateHome, ".codex", "auth.json"), "{}");
    const [error] = await run("", sandbox());
    const place = join(privateHome, ".codex");
    assert.equal(error, `sandbox: "${place}" must be a link to "${join(home, ".codex")}": remove it`);
  });

  it("starts in a project, in the folder around it, and in the project again", async () => {
    const [inner, file] = [join(home, "work", "api"), join(home, ".symposium", "guard", "home", "codex", "work")];
    mkdirSync(inner, { recursive: true });
    const [around, links] = [join(home, "work"), [] as string[]];
    for (const root of [inner, around, inner]) {
      assert.deepEqual((await run("", sandbox(undefined, root))).slice(0, 1), [0]);
      links.push(readlinkSync(root === inner ? join(file, "api") : file));
    }
    assert.deepEqual(links, [inner, around, inner]);
  });

  it("starts without a link to the project where the agent has a file of its own in that place", async () => {
    const place = join(home, ".symposium", "guard", "home", "codex", "app");
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, "notes"), "mine");
    assert.equal((await run("", sandbox()))[0], 0);
    assert.equal(readFileSync(join(place, "notes"), "utf8"), "mine");
  });

  it("runs nothing before the sandbox that a variable of the program's says", function () {
    if (!existsSync("/bin/bash")) this.skip(); // macOS's /bin/sh runs bash.
    const made = join(folder, "made");
    const confined = new Seatbelt({
      program,
      subject: () => ({ id: "codex", needs, roots: [project], ownPrograms: [], configFolder: configFolder(), home }),
      network: { env: {}, ports: [], listen: () => Promise.reject(new Error("not asked for")) },
    }).confine({
      ...{ file: process.execPath, args: ["-e", ""], env: process.env, cwd: project, stdio: "ignore" },
      given: {
        "BASH_FUNC_read%%": `() { echo > '${made}'; }`,
        ...{ SHELLOPTS: "xtrace", PS4: `$(echo > '${made}')`, BASH_ENV: program },
      },
    });
    assert.ok(!("startError" in confined));
    const { args, env, cwd } = confined;
    // Nobody says where the proxy is.
    const nothing = openSync("/dev/null", "r");
    const { status } = spawnSync("/bin/bash", args, { argv0: "sh", env, cwd, stdio: Array<number>(4).fill(nothing) });
    closeSync(nothing);
    confined.started(undefined);
    assert.deepEqual([status, existsSync(made)], [125, false]);
  });

  it("reaches what the rules allow through a proxy of its own, whose address it alone gets", async function () {
    if (Number(process.versions.node.split(".")[0]) < 24) this.skip(); // Older ones know no proxy by themselves.
    await using server = await httpServer((_request, response) => response.end("hello"));
    await using other = await httpServer((_request, response) => response.end("other"));
    await using world = new SandboxWorld(reaching(server.port));
    const script = `
      const told = (port) => fetch("http://localhost:" + port).then((answer) => answer.text(), () => "refused");
      told(${server.port}).then((first) => told(${other.port}).then((second) => console.log(JSON.stringify([first, second, process.env.HTTP_PROXY]))));`;
    const [code, said, errors] = await run(script, sandbox(world));
    assert.deepEqual([code, errors], [0, ""]);
    const [first, second, address] = JSON.parse(said) as readonly string[];
    assert.deepEqual([first, second], ["hello", "refused"]);
    const { username, password, port } = new URL(address ?? "");
    assert.deepEqual([username, password.length], ["symposium", 32]);
    const profile = readFileSync(`${program}.profile`, "utf8");
    assert.ok(profile.endsWith(`\n(allow network-outbound (remote ip "localhost:${port}"))`));
    assert.doesNotMatch(profile, new RegExp(password));
  });

  it("gives no other program a connection by that proxy", async () => {
    await using server = await httpServer((_request, response) => response.end("hello"));
    await using world = new SandboxWorld(reaching(server.port));
    const child = startProgram(
      { command: process.execPath, args: ["-e", "process.stdin.resume()"], env: {} },
      { env: process.env, confined: "not asked for", stdio: ["pipe", "ignore", "ignore"] },
    );
    assert.ok("child" in child);
    await using _ended = { [Symbol.asyncDispose]: () => ended(child.child) };
    const { port, address } = await world.shared.listen(child.child);
    const { username, password } = new URL(address);
    const given = (name: string, word: string): string => `Basic ${Buffer.from(`${name}:${word}`).toString("base64")}`;
    const target = `localhost:${server.port}`;
    const asked = async (authorization?: string): Promise<readonly unknown[]> => [
      await plain(port, `http://${target}/`, authorization),
      (await raw(port, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n`, authorization)).slice(9, 12),
      (await raw(port, upgrade(target), authorization)).slice(9, 12),
    ];
    assert.deepEqual(
      [
        await asked(),
        await asked(given(username, "guess")),
        await asked(given("other", password)),
        await asked("Bearer x"),
      ],
      Array(4).fill([407, "407", "407"]),
    );
    assert.deepEqual(await asked(given(username, password)), [200, "200", "200"]);
    assert.deepEqual(world.asked, []);
    await ended(child.child);
    await assert.rejects(plain(port, `http://${target}/`, given(username, password)));
  });

  it("is no sandbox where it holds nothing back, or does not start", async () => {
    const fault = await seatbeltFault(program);
    for (const open of ["read a file outside", "write a hook of git", "rename .git", "make .vscode", "connect to this"])
      assert.ok(fault?.startsWith("it does not block what it should: ") && fault.includes(open), fault);
    writeFileSync(program, "#!/bin/sh\necho 'sandbox-exec: no rule for x' >&2\nexit 65\n");
    assert.equal(await seatbeltFault(program), "sandbox-exec: no rule for x");
  });

  it("is there where macOS has its program, for users who are not root, and says that nobody has tried it on a Mac", () => {
    const found = [program, join(folder, "none")].map((seatbelt) =>
      findSandbox({ platform: "darwin", seatbelt, isExecutable: false }),
    );
    const isRoot = process.getuid?.() === 0;
    assert.deepEqual(
      found.map((state) =>
        state.isThere ? [state.kind, state.program, /^not tested on a Mac/.test(state.note ?? "")] : state.reason,
      ),
      isRoot
        ? Array(2).fill("on macOS there is no sandbox for root, who owns the system's files")
        : [["seatbelt", program, true], `${join(folder, "none")} is missing, which macOS has included so far`],
    );
  });
});

/** Parts of a network in which a rule opens this port of the machine. */
const reaching = (port: number): ConstructorParameters<typeof SandboxWorld>[0] => ({
  rules: [hostRule("allow", `localhost:${port}`)],
  names: { localhost: ["127.0.0.1"] },
});

const upgrade = (target: string): string =>
  `GET http://${target}/ HTTP/1.1\r\nHost: ${target}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n`;

/** Ends a program that runs until its input does. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = once(child, "exit");
  child.stdin?.end();
  await exited;
}

/** The status of a request that is sent to a proxy. */
function plain(port: number, url: string, authorization?: string): Promise<number | undefined> {
  const headers = {
    Host: new URL(url).host,
    ...(authorization !== undefined && { "Proxy-Authorization": authorization }),
  };
  return new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path: url, headers, agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode);
    });
    sent.on("error", reject).end();
  });
}

/** The first bytes of the answer to these words. */
async function raw(port: number, head: string, authorization?: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.write(`${head}${authorization === undefined ? "" : `Proxy-Authorization: ${authorization}\r\n`}\r\n`);
  const [bytes] = (await once(socket, "data")) as [Buffer];
  socket.destroy();
  return bytes.toString("latin1");
}
