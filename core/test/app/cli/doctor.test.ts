import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const modules = new URL("../../../src/", import.meta.url);
const agentMain = fileURLToPath(new URL("../testing/node/agent-main.js", modules));

const script = `
  const { doctor } = await import(process.env.DOCTOR_MODULES + "app/cli/doctor.js");
  const { messageOf } = await import(process.env.DOCTOR_MODULES + "base/symposium-error.js");
  try {
    process.exitCode = await doctor(process.argv.slice(1));
  } catch (failure) {
    process.stderr.write(messageOf(failure) + "\\n");
    process.exitCode = 2;
  }`;

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly text: string;
  readonly remedy?: string;
  readonly missing?: string;
  readonly website?: string;
}

interface Result {
  readonly code: number | string | null | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A configuration whose agent is the scripted one. */
function agent(...args: readonly string[]): object {
  const command = { name: "scripted", command: process.execPath, args: [agentMain, ...args], env: [] };
  return { agent: command, proxies: [] };
}

describe("doctor", function () {
  this.timeout(60_000);

  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "doctor-"));
    mkdirSync(join(folder, "bin"));
    mkdirSync(join(folder, "tmp"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function configure(config: object | string): void {
    writeFileSync(join(folder, "config.jsonc"), typeof config === "string" ? config : JSON.stringify(config));
  }

  function tool(name: string, text: string): void {
    writeFileSync(join(folder, "bin", name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, "bin", name), 0o755);
  }

  function run(...words: readonly string[]): Promise<Result> {
    const env = {
      PATH: join(folder, "bin"),
      TMPDIR: join(folder, "tmp"),
      SYMPOSIUM_CONFIG_DIR: folder,
      DOCTOR_MODULES: modules.href,
    };
    const args = ["--input-type=module", "-e", script, "--", ...words];
    return new Promise((resolve) =>
      execFile(process.execPath, args, { env }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      ),
    );
  }

  /** The findings on the agent, after a check of the exit code. */
  async function agentFindings(code: number, ...words: readonly string[]): Promise<readonly Finding[]> {
    const result = await run("--json", ...words);
    assert.deepEqual([result.code, result.stderr], [code, ""]);
    const findings = JSON.parse(result.stdout) as Finding[];
    return findings.slice(findings.findLastIndex(({ check }) => check === "config" || check === "value") + 1);
  }

  it("follows an agent that works from its program to its end, and leaves nothing behind", async () => {
    configure(agent());
    assert.deepEqual(await agentFindings(0), [
      { check: "agent", status: "ok", text: "scripted" },
      { check: "program", status: "ok", text: process.execPath },
      { check: "initialize", status: "ok", text: "scripted-agent 1.0.0" },
      { check: "sign-in", status: "ok", text: "it offers Scripted login (scripted)" },
      {
        check: "session",
        status: "ok",
        text: "it opened a temporary session; some agents ask for a sign-in only at the first prompt",
      },
      { check: "end", status: "ok", text: "it exited when its input ended" },
    ]);
    assert.deepEqual(readdirSync(join(folder, "tmp")), []);
  });

  it("fails, and says how to sign in, when the agent opens no session without", async () => {
    configure(agent("--auth-required"));
    const findings = await agentFindings(1);
    const { status, text, remedy } = findings.find(({ check }) => check === "session") ?? {};
    assert.deepEqual([status, text], ["fail", "it needs you to sign in"]);
    assert.equal(remedy, "Choose one in the editor, or in `symposium-acp-agent chat`: Scripted login (scripted).");
  });

  it("fails with what is known when the agent ends at initialize", async () => {
    configure(agent("--die-at-initialize", "127"));
    const findings = await agentFindings(1);
    assert.deepEqual(
      findings.map(({ check, status }) => [check, status]),
      [
        ["agent", "ok"],
        ["program", "ok"],
        ["initialize", "fail"],
      ],
    );
    assert.match(findings[2]?.text ?? "", /exited with code 127\.$/);
    assert.match(findings[2]?.remedy ?? "", /^Exit code 127: a program that/);
  });

  it("warns of an agent that does not end when its input does", async () => {
    configure(agent("--ignore-eof"));
    const end = (await agentFindings(0)).at(-1);
    assert.deepEqual([end?.check, end?.status, end?.text], ["end", "warn", "it was stopped by SIGTERM."]);
  });

  it("says what is missing when a program does not exist, and starts nothing for Eliza", async () => {
    configure({ agent: "/nowhere/agent --acp" });
    const [, program] = await agentFindings(1);
    assert.deepEqual([program?.status, program?.text], ["fail", "/nowhere/agent was not found"]);
    assert.match(program?.remedy ?? "", /doesn't exist/);
    const text = "Eliza is part of this program and needs nothing";
    assert.deepEqual(await agentFindings(0, "eliza"), [{ check: "agent", status: "ok", text }]);
    assert.deepEqual(await agentFindings(0, "--agent", "eliza"), [{ check: "agent", status: "ok", text }]);
    assert.match((await run("eliza", "--agent", "goose")).stderr, /The agent is given twice/);
  });

  it("names the command that installs an agent which is not installed", async () => {
    const [finding] = await agentFindings(1, "goose");
    assert.match(finding?.remedy ?? "", /registry install goose/);
  });

  it("names each of the user's files that cannot be read, and does not say that no agent is configured", async () => {
    for (const name of ["config.jsonc", "guard.jsonc", "trust.json", "secrets.json"]) {
      writeFileSync(join(folder, name), "{ bad");
    }
    const { code, stdout } = await run("--json");
    const findings = (JSON.parse(stdout) as Finding[]).filter(({ status }) => status === "fail");
    assert.equal(code, 1);
    assert.deepEqual(
      findings.map(({ check, remedy = "" }) => [check, remedy !== ""]),
      ["guard", "trust", "secrets", "config"].map((check) => [check, true]),
    );
    const files = ["guard.jsonc", "trust.json", "secrets.json", "config.jsonc"];
    for (const [index, file] of files.entries()) assert.ok(findings[index]?.text.includes(join(folder, file)), file);
    assert.doesNotMatch(stdout, /none is configured/);
  });

  it("says which extensions are on, and where they are switched", async () => {
    configure({ agent: "eliza", proxies: [{ name: "tests" }, { name: "cargo", enabled: false }] });
    const { stdout } = await run();
    const text = "on: tests; off: sparkle, ferris, cargo, ide-operations, sources (`proxies` in config.jsonc)";
    assert.ok(stdout.includes(`ok    extensions  ${text}\n`), stdout);
  });

  it("shows the versions of tools, and where they are or come from", async () => {
    tool("uv", "echo uv 1.2.3");
    tool("pipx", "echo broken >&2; exit 1");
    const { code, stdout } = await run();
    assert.equal(code, 0);
    assert.ok(stdout.includes(`ok    node           ${process.versions.node} at ${process.execPath}\n`), stdout);
    assert.ok(stdout.includes(`ok    uv             uv 1.2.3 at ${join(folder, "bin", "uv")}\n`), stdout);
    assert.match(stdout, /^warn {2}pipx {11}\S+pipx fails: broken\n {21}Agents written in Python/m);
    assert.match(stdout, /^warn {2}cargo {10}is not on PATH\n {21}\S/m);
    assert.match(stdout, /^warn {2}config {9}\S+config\.jsonc does not exist\n.*setup/m);
    assert.match(stdout, /^warn {2}agent {10}none is configured\n.*setup/m);
  });

  it("names what a cargo of rustup's without a toolchain needs", async () => {
    tool("cargo", "echo 'error: rustup could not choose a version of cargo to run, because of that' >&2; exit 1");
    const findings = JSON.parse((await run("--json")).stdout) as Finding[];
    const text = `${join(folder, "bin", "cargo")} cannot run: rustup has no default toolchain`;
    assert.deepEqual(
      findings.find(({ check }) => check === "cargo"),
      { check: "cargo", status: "warn", text, remedy: "Run `rustup default stable`." },
    );
  });

  it("fails for a broken configuration with the place of each fault", async () => {
    configure('{\n  "agent": eliza\n}');
    const result = await run("--json");
    assert.equal(result.code, 1);
    const faults = (JSON.parse(result.stdout) as Finding[]).filter(({ check }) => check === "config");
    assert.ok(faults.every(({ status }) => status === "fail"));
    assert.ok(faults[0]?.text.startsWith(`${join(folder, "config.jsonc")}:2:12: `), faults[0]?.text);
  });

  it("warns of a server that lacks a value, and starts none", async () => {
    configure({
      agent: "eliza",
      mcpServers: {
        issues: { url: "https://mcp.example", headers: { Authorization: "Bearer ${secret:issues}" } },
        off: { command: "x", args: ["${env:NOT_THERE}"], enabled: false },
      },
    });
    const findings = JSON.parse((await run("--json")).stdout) as Finding[];
    assert.deepEqual(
      findings.filter(({ check }) => check === "mcp"),
      [
        {
          check: "mcp",
          status: "warn",
          text: 'the server "issues" has no value for ${secret:issues}',
          remedy: "Set the variable, or store a secret with `symposium-acp-agent mcp secret set NAME`.",
        },
      ],
    );
  });

  it("checks for an editor the tools and the agent it names, and config.jsonc for faults alone", async () => {
    const checks = async (code: number, ...words: readonly string[]): Promise<readonly string[]> => {
      const result = await run("--editor", "--json", ...words);
      assert.deepEqual([result.code, result.stderr], [code, ""]);
      return (JSON.parse(result.stdout) as Finding[]).map(({ check, status }) => `${check} ${status}`);
    };
    const tools = ["node ok", ...["npm", "npx", "uv", "pipx", "cargo"].map((name) => `${name} warn`)];
    const without = await checks(0);
    configure({ agent: "/nowhere/agent" });
    const ignoring = await checks(0);
    const named = await checks(0, "eliza");
    configure("{ broken");
    const broken = await checks(1);
    const own = (all: readonly string[]): readonly string[] => all.filter((one) => /^(config|agent) /.test(one));
    assert.deepEqual(
      [without.slice(0, 6), ...[without, ignoring, named, broken].map(own)],
      [tools, [], [], ["agent ok"], ["config fail"]],
    );
  });

  it("says for programs what is missing, and where it is to be had", async () => {
    configure(agent("--auth-required"));
    const { stdout } = await run("--json");
    const missing = (JSON.parse(stdout) as Finding[]).flatMap((one) =>
      one.missing === undefined || one.missing === "language-server" ? [] : [[one.check, one.missing, one.website]],
    );
    assert.deepEqual(missing, [
      ["npm", "tool", "https://nodejs.org"],
      ["npx", "tool", "https://nodejs.org"],
      ["uv", "tool", "https://docs.astral.sh/uv"],
      ["pipx", "tool", "https://pipx.pypa.io"],
      ["cargo", "tool", "https://rustup.rs"],
      ["session", "sign-in", undefined],
    ]);
  });

  it("refuses two agents", async () => {
    const { code, stdout, stderr } = await run("opencode", "acp");
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(
      stderr,
      /^doctor: Too many arguments\. Expected 1 argument but got 2\. .* Put values with spaces in quotes\./,
    );
  });
});
