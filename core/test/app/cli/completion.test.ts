import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { allNodes, commandTree, nextWords } from "../../../src/app/cli/completion/command-tree.js";
import { completionScripts } from "../../../src/app/cli/completion/completion-scripts.js";
import { manualPage } from "../../../src/app/cli/completion.js";
import { subcommands } from "../../../src/app/cli/subcommands.js";
import { leaveOut } from "../../needs-cargo.js";

const program = "symposium-acp-agent";

/** For each shell, its command line with a script of ours, and code that prints what may follow the words. */
const shells: readonly (readonly [
  shell: string,
  args: readonly string[],
  code: (words: readonly string[]) => string,
])[] = [
  [
    "bash",
    ["--norc", "--noprofile", "-c"],
    (words) =>
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}; ` +
      'complete -p symposium-acp-agent >/dev/null && _symposium_acp_agent; printf "%s\\n" "${COMPREPLY[@]}"',
  ],
  [
    "zsh",
    ["-f", "-c"],
    (words) =>
      'compdef() { : }; _files() { print FILES }; _describe() { print -rl -- "${(@)${(@P)3}%%:*}" }; ' +
      `eval "$SCRIPT"; words=(${words.map((word) => `'${word}'`).join(" ")}); CURRENT=${words.length}; _symposium_acp_agent`,
  ],
  ["fish", ["--no-config", "-c"], (words) => `eval $SCRIPT; complete -C '${words.join(" ")}' | string split -f1 \\t`],
];

describe("completion", function () {
  this.timeout(60_000);

  it("knows every subcommand that the help lists, with its options", async () => {
    const nodes = allNodes(await commandTree(subcommands));
    const list = nodes.find(({ words }) => words.join(" ") === "sessions list");
    assert.deepEqual(list && nextWords(list).map(([word]) => word), ["--cwd", "--limit", "--json", "--help"]);
    assert.ok(nodes.some(({ words }) => words.join(" ") === "registry install"));
    assert.ok(!nodes.some(({ words }) => words.includes("mcp-shim")));
  });

  for (const [shell, args, code] of shells) {
    it(`completes subcommands and their options in ${shell}`, async function () {
      if (process.platform === "win32" || spawnSync(shell, ["--version"]).status !== 0)
        leaveOut(this, `there is no ${shell}`);
      const script = completionScripts[shell]?.(await commandTree(subcommands)) ?? "";
      const start = shell === "bash" ? 'eval "$SCRIPT"; ' : shell === "zsh" ? "" : "set -e XDG_DATA_HOME; ";
      const offered = (...words: readonly string[]): readonly string[] => {
        const env = { ...process.env, SCRIPT: script };
        const { stdout, stderr } = spawnSync(shell, [...args, start + code([program, ...words])], {
          env,
          encoding: "utf8",
        });
        assert.equal(stderr, "");
        return stdout.split("\n").filter((line) => line !== "");
      };
      assert.ok(offered("reg").includes("registry"));
      assert.ok(offered("registry", "inst").includes("installed"));
      assert.ok(offered("sessions", "list", "--").includes("--limit"));
      assert.ok(!offered("sessions", "list", "--").includes("--format"));
      assert.ok(!offered("sessions", "list", "--cwd", "").includes("--limit"));
    });
  }

  it("has a case for each subcommand in PowerShell", async () => {
    const script = completionScripts["powershell"]?.(await commandTree(subcommands)) ?? "";
    assert.match(script, /'\/registry\/install' = @\(.*@\('--extension', '/);
  });

  it("gives a manual page that the program's formatter takes without a warning", async function () {
    const page = manualPage(await commandTree(subcommands));
    assert.match(page, /^\.TH SYMPOSIUM-ACP-AGENT 1 /);
    assert.match(page, /^\.SS symposium\\-acp\\-agent sessions rename <ID> <TITLE>$/m);
    if (spawnSync("groff", ["--version"]).status !== 0) leaveOut(this, "there is no groff");
    const { stdout, stderr } = spawnSync("groff", ["-man", "-Tascii", "-P-cbou", "-ww"], {
      input: page,
      encoding: "utf8",
    });
    assert.equal(stderr, "");
    assert.match(stdout, /symposium-acp-agent sessions rename <ID> <TITLE>/);
  });
});
