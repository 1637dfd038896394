import assert from "node:assert/strict";
import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Outcome, runToEnd } from "../support/child.js";
import { conductorWords } from "../support/conductor-command.js";
import { arrayOf, objectOf, stringOf } from "../support/json.js";
import { repositoryRoot } from "../support/repository.js";
import type { RunFolder } from "../support/run-folder.js";
import { commandEnvironment, createCommandFolder } from "../support/started-command.js";
import { survivingProcesses } from "../support/surviving-processes.js";
import { useTestScope } from "../support/test-scope.js";
import { scaledMs } from "../support/until.js";

const example = join(repositoryRoot, "examples", "typescript-proxy");
const limitMs = 120_000;

/** One way to break the example: what its program says there, what it says instead, and the failures that follow. */
interface Defect {
  readonly title: string;
  readonly original: string;
  readonly broken: string;
  readonly failures: readonly RegExp[];
  /** Value of `--timeout`, for a defect that makes the check wait that long; default: 15. */
  readonly timeout?: string;
}

const defects: readonly Defect[] = [
  {
    title: "refuses to be initialized",
    original: 'case "proxy/initialize":',
    broken: 'case "proxy/start":',
    failures: [/^initialize: .*is not an ACP proxy/],
  },
  {
    title: "exits when it is greeted",
    original: 'case "_proxy/initialize":',
    broken: 'case "_proxy/initialize": console.error("no dialect"); process.exit(4);',
    failures: [/^initialize: .*exited with code 4\. It wrote: no dialect$/],
  },
  {
    title: "does not answer session/new",
    original: "fresh.add(result.sessionId);",
    broken: "throw new Error('lost');",
    failures: [/^session: .*exited with code 1\. .*lost/],
  },
  {
    title: "answers session/new itself, and exits",
    original: "const servers = Array.isArray(",
    broken:
      'send({ id, result: { sessionId: "own" } }); setImmediate(() => process.exit(3)); return; const servers = Array.isArray(',
    failures: [/^tools: .*exited with code 3\.$/],
    timeout: "3",
  },
  {
    title: "keeps the prompt to itself",
    original: "[...blocks, ",
    broken: "[",
    failures: [/^prompt: the prompt's text does not reach the agent/],
  },
  {
    title: "holds session/cancel back",
    original: "    switch (method) {\n",
    broken: '    if (method === "session/cancel") return;\n    switch (method) {\n',
    failures: [/^cancel: session\/cancel does not reach the agent/],
  },
  {
    title: "drops what it does not know",
    original: "        default:\n            forward(id, toAgent(method, params));",
    broken: "        default:\n            if (!method.startsWith('_')) forward(id, toAgent(method, params));",
    failures: [/^unknown: no answer to _symposium\/check within 15 s/],
  },
  {
    title: "changes what it does not know",
    original: "forward(id, { method, ...(params && { params }) });",
    broken: "forward(id, { method, params: { ...params, symposiumCheck: { text: '' } } });",
    failures: [
      /^unknown: an unknown request to the editor arrives changed: symposiumCheck\.text, symposiumCheck\.count/,
      /^unknown: an unknown notification to the editor arrives changed/,
    ],
  },
  {
    title: "does not list the tools of its MCP server",
    original: 'case "tools/list":',
    broken: 'case "tools/lost":',
    failures: [/^tools: MCP server "words" does not list its tools: /],
  },
  {
    title: "logs to stdout",
    original: "let nextId = 1;",
    broken: 'let nextId = 1; console.log("ready");',
    failures: [/^output: it writes a line to stdout that isn't a message: ready/],
  },
  {
    title: "does not end with its input",
    original: "let nextId = 1;",
    broken: "let nextId = 1; setInterval(() => undefined, 1000);",
    failures: [/^end: it was still running 3 s after its input ended/],
  },
];

describe("extension check", function () {
  this.timeout(scaledMs(400_000));
  const scope = useTestScope();
  let program: string;

  before(async () => {
    await using folder = await createCommandFolder();
    const words = ["tsc", "-p", example, "--outDir", folder.workspace];
    const built = await runToEnd({ words, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
    assert.equal(built.code, 0, built.stdout);
    program = await readFile(join(folder.workspace, "main.js"), "utf8");
  });

  /** The example as its package, built, with one piece of its program replaced. */
  async function layOut(original = "", broken = ""): Promise<RunFolder> {
    const folder = scope().use(await createCommandFolder());
    assert.equal(program.includes(original), true, `the program does not say ${original}`);
    await cp(join(example, "package.json"), join(folder.workspace, "package.json"));
    await mkdir(join(folder.workspace, "dist"));
    await writeFile(
      join(folder.workspace, "dist", "main.js"),
      program.replace(original, () => broken),
    );
    return folder;
  }

  async function check(folder: RunFolder, ...words: readonly string[]): Promise<Outcome> {
    const command = [...conductorWords, "extension", "check", ...words];
    const outcome = await runToEnd({ words: command, env: commandEnvironment(folder), cwd: folder.workspace }, limitMs);
    assert.deepEqual(await survivingProcesses(folder.root, 10_000), new Map());
    return outcome;
  }

  it("passes the example, and says what it has found", async () => {
    const { code, stdout, stderr } = await check(await layOut(), ".");
    assert.equal(code, 0, stdout + stderr);
    const lines = stdout.split("\n").map((line) => line.replace(/ {2,}/g, " "));
    assert.deepEqual(
      lines.filter((line) => line.startsWith("ok ")),
      [
        "ok metadata example-symposium-proxy 0.1.0, program dist/main.js",
        "ok initialize it answers proxy/initialize",
        "ok session session/new opens a session",
        'ok tools MCP server "words": word_count',
        "ok prompt the prompt reaches the agent, and its text comes back",
        "ok cancel session/cancel ends the prompt turn",
        "ok unknown unknown messages and members are forwarded unchanged in both directions",
        "ok end it exits when its input ends",
      ],
    );
  });

  for (const { title, original, broken, failures, timeout = "15" } of defects) {
    it(`fails a proxy that ${title}`, async () => {
      const { code, stdout, stderr } = await check(await layOut(original, broken), ".", "--json", "--timeout", timeout);
      assert.equal(code, 1, stdout + stderr);
      const failed = arrayOf(JSON.parse(stdout))
        .map(objectOf)
        .filter(({ status }) => status === "fail")
        .map(({ check: name, text, remedy }) =>
          `${stringOf(name)}: ${stringOf(text)} ${stringOf(remedy ?? "")}`.trim(),
        );
      assert.equal(failed.length, failures.length, failed.join("\n"));
      for (const [index, pattern] of failures.entries()) assert.match(failed[index] ?? "", pattern);
    });
  }

  it("checks a command, such as this product's own pass-through chain", async () => {
    const folder = await layOut();
    const { code, stdout } = await check(folder, "--", ...conductorWords, "run-with", "--proxy", "sparkle");
    assert.equal(code, 0, stdout);
    assert.match(stdout, /^ok +tools +MCP server "sparkle": .*session_checkpoint/m);
  });
});
