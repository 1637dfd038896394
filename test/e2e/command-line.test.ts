import assert from "node:assert/strict";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type Outcome, runToEnd } from "../support/child.js";
import { conductorWords, shellWords } from "../support/conductor-command.js";
import { objectOf, parseObject } from "../support/json.js";
import { PseudoTerminal } from "../support/pseudo-terminal.js";
import { repositoryRoot } from "../support/repository.js";
import { agentText } from "../support/scripted-programs.js";
import { commandEnvironment, createCommandFolder, StartedCommand } from "../support/started-command.js";
import { skipBecause, useTestScope } from "../support/test-scope.js";

const limitMs = 120_000;

describe("the command line", () => {
  const scope = useTestScope();

  async function run(...words: readonly string[]): Promise<Outcome> {
    const folder = scope().use(await createCommandFolder());
    const command = [...conductorWords, ...words];
    return runToEnd({ words: command, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
  }

  async function isRefused(words: readonly string[], ...expected: readonly RegExp[]): Promise<void> {
    const { code, stdout, stderr } = await run(...words);
    assert.deepEqual([code, stdout], [2, ""], stderr);
    for (const pattern of expected) assert.match(stderr, pattern);
    assert.doesNotMatch(stderr, /\n\s+at /, "a stack trace helps no user");
  }

  for (const word of ["--version", "-V", "-v", "version"]) {
    it(`prints the version of the product at ${word}`, async () => {
      const { version } = parseObject(await readFile(join(repositoryRoot, "package.json"), "utf8"));
      assert.deepEqual(await run(word), { code: 0, stdout: `symposium-acp-agent ${String(version)}\n`, stderr: "" });
    });
  }

  for (const word of ["--help", "-h", "help"]) {
    it(`lists subcommands and options at ${word}`, async () => {
      const { code, stdout } = await run(word);
      assert.equal(code, 0);
      const names = ["run ", "run-with", "chat", "eliza", "trace", "--proxy", "--agent", "--log", "--trace-dir"];
      for (const name of names) assert.ok(stdout.includes(name), name);
      assert.doesNotMatch(stdout, /mcp-shim/, "it is for no people");
    });
  }

  it("prints the help of every subcommand, and of every one in a group, with what it takes", async () => {
    const texts = new Map<string, string>();
    let next: readonly (readonly string[])[] = [[], ["mcp-shim"], ["zed", "run"]];
    while (next.length > 0) {
      const members: (readonly string[])[] = [];
      for (const words of next) {
        const { code, stdout, stderr } = await run(...words, "--help");
        assert.deepEqual([code, stderr], [0, ""], words.join(" "));
        assert.ok(stdout.startsWith(`Usage: ${["symposium-acp-agent", ...words].join(" ")} [options]`), stdout);
        texts.set(words.join(" "), stdout);
        const [, list = ""] = stdout.split("\nCommands:\n");
        const names = [...list.matchAll(/^ {2}([a-z][\w-]*) /gm)].map(([, name = ""]) => name);
        members.push(...names.filter((name) => name !== "help").map((name) => [...words, name]));
      }
      next = members;
    }
    assert.ok(texts.size > 30, [...texts.keys()].join(", "));
    assert.match(texts.get("run-with") ?? "", /--proxy <X>.*--agent <X>.*--log <FILTER>.*--trace-dir <DIR>/s);
    assert.match(texts.get("registry pin") ?? "", /^Usage: .* <ID> <VERSION>$/m);
    assert.match(texts.get("extension check") ?? "", /^Usage: .* \[PATH\] \| -- COMMAND\.\.\.$/m);
    const asked = await run("help", "registry", "pin");
    assert.equal(asked.stdout, texts.get("registry pin"));
  });

  it("names the nearest subcommand and option", async () => {
    await isRefused(["rnu-with"], /Unknown command "rnu-with"\. Did you mean run-with\?/);
    await isRefused(["run-with", "--agnt", "eliza"], /run-with: Unknown option "--agnt"\. Did you mean --agent\?/);
    await isRefused(["zed", "instal"], /zed: Unknown command "instal"\. Did you mean install\?/);
    await isRefused(["--trace-dri", "/tmp"], /Unknown option "--trace-dri"\. Did you mean --trace-dir\?/);
  });

  it("refuses an option whose value was forgotten, and takes one that begins with a dash after =", async () => {
    await isRefused(["run-with", "--agent", "--proxy", "sparkle"], /Option "--agent" needs a value before "--proxy"/);
    await isRefused(["run-with", "--agent"], /"--agent <X>" argument missing/);
    await isRefused(["run-with", "--agent", "eliza", "--log=-loud"], /--log -loud: "-loud" is not a level/);
  });

  it("says which file a trace cannot be read from or written to", async () => {
    await isRefused(
      ["trace", "/nonexist"],
      /The trace \/nonexist cannot be read: no such file or directory\..*--trace-dir/,
    );
    await isRefused(["trace", "/"], /The trace \/ cannot be read: illegal operation on a directory\./);
  });

  it("asks for the word that is missing", () => isRefused(["extension"], /extension needs a subcommand: check\./));

  it("refuses an unknown subcommand and points to the list", () =>
    isRefused(["frobnicate"], /Unknown command "frobnicate"/, /--help/));

  it("shows in a terminal how long it has been waiting for an agent or a list", async function () {
    if (process.platform !== "linux") skipBecause(this, "only Linux has the `script` of util-linux");
    const silent = scope().use(await startSilentServer());
    const folder = scope().use(await createCommandFolder(JSON.stringify({ registryUrl: silent.url })));
    const agent = "node -e 'setInterval(() => {}, 1000)'";
    for (const [shown, ...words] of [
      ["Starting the agent", "sign-in", "--agent", agent],
      ["Fetching the list", "registry", "install", "some-agent"],
      ["Fetching the list", "registry", "list"],
    ] as const) {
      const options = { words: [...conductorWords, ...words], env: commandEnvironment(folder), cwd: folder.workspace };
      const terminal = scope().use(new PseudoTerminal(options));
      await terminal.shows(new RegExp(`${shown} \\(1 s\\)`));
    }
  });

  it("breaks its errors between words in a terminal", async function () {
    if (process.platform !== "linux") skipBecause(this, "only Linux has the `script` of util-linux");
    const folder = scope().use(await createCommandFolder());
    const words = ["sh", "-c", `stty cols 60; ${shellWords([...conductorWords, "frobnicate"])}`];
    const terminal = scope().use(new PseudoTerminal({ words, env: commandEnvironment(folder), cwd: folder.workspace }));
    await terminal.shows(/for the list\.\n/);
    const lines = terminal.text.trimEnd().split("\n");
    assert.equal(
      lines.join(" ").replace(/ +/g, " "),
      `symposium-acp-agent: Unknown command "frobnicate". Run \`symposium-acp-agent --help\` for the list.`,
    );
    assert.ok(lines.length > 1 && lines.every((line) => line.length <= 60), terminal.text);
  });

  it("refuses an unknown option and points to the list", () =>
    isRefused(["run-with", "--frobnicate"], /--frobnicate/, /--help/));

  it("refuses an unknown proxy and lists the known ones", () =>
    isRefused(
      ["run-with", "--proxy", "no-such-proxy", "--agent", "eliza"],
      /"no-such-proxy"/,
      /Known proxies: .*defaults/,
    ));

  it("refuses an unknown agent and lists the known ones", () =>
    isRefused(["run-with", "--agent", "no-such-agent"], /"no-such-agent"/, /Known agents: claude-code, .*eliza/));

  it("names the agent or proxy that was probably meant", async () => {
    await isRefused(["chat", "--agent", "claude-cod", "hi"], /"claude-cod".*Did you mean claude-code\?/);
    await isRefused(["run-with", "--proxy", "feris", "--agent", "eliza"], /"feris".*Did you mean ferris\?/);
    await isRefused(["registry", "--offline", "plan", "codx"], /"codx".*Did you mean codex\?/);
  });

  it("says how to install an agent that it knows and that is not there", () =>
    isRefused(
      ["chat", "--agent", "goose", "hi"],
      /^symposium-acp-agent: Goose is not installed.*registry install goose/,
    ));

  it("refuses folders that do not exist, and options that have no effect", async () => {
    await isRefused(
      ["serve-openai", "--agent", "eliza", "--folder", "/no/such"],
      /--folder names a folder that doesn't exist: \/no\/such\./,
    );
    await isRefused(["context", "--cwd", "/no/such"], /--cwd names a folder that doesn't exist: \/no\/such\./);
    await isRefused(["context", "off"], /"off" needs a NAME/);
    await isRefused(["zed", "install", "--port", "1"], /--port.*--language-models/);
    await isRefused(["chat", "--yes", "--no", "hi"], /--yes and --no can't be used together\./);
  });

  it("gives no help of a subcommand that does not exist", () =>
    isRefused(["help", "doctr"], /"doctr".*Did you mean doctor\?/));

  it("says where the JSON of a component is wrong", () =>
    isRefused(["run-with", "--agent", '{"command": oops}'], /line 1, column 13/));

  it("refuses JSON that names no program, and says what is missing", () =>
    isRefused(["run-with", "--proxy", '{"name":"x"}', "--agent", "eliza"], /--proxy/, /"command"/));

  it("refuses a log filter that is no level, and lists the levels", () =>
    isRefused(["run-with", "--agent", "eliza", "--log", "loud"], /"loud"/, /error, warn, info, debug, trace/));

  it("logs to stderr what --log asks for, and only messages to stdout", async () => {
    const words = ["run-with", "--agent", agentText(), "--log", "debug"];
    const started = await StartedCommand.start(scope(), words);
    await started.client.prompt(await started.client.newSession(), "stderr a line of the agent", "echo hi");
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
    assert.match(started.client.child.stderrTail, /INFO .*process: started/);
    assert.match(started.client.child.stderrTail, /a line of the agent/);
  });

  it("says that the folder it is started in is gone", async () => {
    const folder = scope().use(await createCommandFolder());
    const words = [
      "sh",
      "-c",
      'mkdir gone && cd gone && rmdir ../gone && exec "$@"',
      "sh",
      ...conductorWords,
      "doctor",
    ];
    const { code, stderr } = await runToEnd({ words, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
    // An executable's runtime reports the missing folder before our code runs.
    const isExecutable = conductorWords.length === 1;
    assert.equal(code, isExecutable ? 1 : 2);
    const ours = /^symposium-acp-agent: The current folder no longer exists\. Change to an existing folder/m;
    assert.match(stderr, isExecutable ? /current working directory was deleted/ : ours);
    assert.doesNotMatch(stderr, /uv_cwd/);
  });

  it("takes a relative cwd of a session from its own folder, and says so in the log", async () => {
    const started = await StartedCommand.start(scope(), ["eliza", "--log", "warn"]);
    await started.client.initialize();
    const opened = await started.client.request("session/new", { cwd: ".", mcpServers: [] });
    assert.equal(opened.isError, false, opened.text);
    const listed = await started.client.request("session/list", {});
    const { sessions } = objectOf(listed.value);
    assert.deepEqual(
      (sessions as readonly { readonly cwd: string }[]).map(({ cwd }) => cwd),
      [started.folder.workspace],
    );
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
    assert.match(started.client.child.stderrTail, /WARN .*cwd is relative.* cwd="\."/);
  });

  it("takes a component as JSON with its environment, and as words with leading variables", async () => {
    const [command, ...args] = agentText().split(" ");
    const json = JSON.stringify({ name: "agent", command, args, env: [{ name: "A", value: "1" }] });
    for (const agent of [json, `A=1 ${agentText("--name", "given-by-words")}`]) {
      const started = await StartedCommand.start(scope(), ["run-with", "--agent", agent]);
      assert.equal((await started.client.initialize()).isError, false);
      started.client.endInput();
      await started.endsCleanly({ code: 0, signal: null });
    }
  });
});

describe("proxy mode, which is run-with without --agent", () => {
  const scope = useTestScope();

  it("answers an editor's initialize with what to do", async () => {
    const started = await StartedCommand.start(scope(), ["run-with"]);
    const { value } = await started.client.initialize();
    assert.equal(objectOf(value)["code"], -32600);
    assert.match(String(objectOf(value)["message"]), /proxy\/initialize.*--agent/);
    started.client.endInput();
    await started.endsCleanly({ code: 0, signal: null });
  });
});

/** A server that takes requests and never answers. */
async function startSilentServer(): Promise<AsyncDisposable & { readonly url: string }> {
  const server = createServer(() => undefined).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
