import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readdir, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const program = fileURLToPath(new URL("../../../src/app/cli/main.js", import.meta.url));

describe("doctor, in a project", function () {
  this.timeout(120_000);

  let folder: string;
  let project: string;
  beforeEach(async () => {
    folder = await realpath(await mkdtemp(join(tmpdir(), "doctor-project-")));
    project = join(folder, "project");
    await mkdir(join(project, ".symposium"), { recursive: true });
    await mkdir(join(project, ".git"));
    await mkdir(join(folder, "config"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  interface Finding {
    readonly check: string;
    readonly status: string;
    readonly text: string;
    readonly remedy?: string;
  }

  async function findings(
    checks: readonly string[] = ["value", "project", "trust"],
    path = join(folder, "bin"),
  ): Promise<readonly Finding[]> {
    const env = { PATH: path, SYMPOSIUM_CONFIG_DIR: join(folder, "config"), HOME: folder };
    const stdout = await new Promise<string>((resolve) =>
      execFile(process.execPath, [program, "doctor", "eliza", "--json"], { env, cwd: project }, (_, output) =>
        resolve(output),
      ),
    );
    const all = JSON.parse(stdout) as Finding[];
    return all.filter(({ check }) => checks.includes(check));
  }

  it("runs no tool of the project, even if PATH has its folders first", async function () {
    // The tools of this test are shell scripts.
    if (process.platform === "win32") this.skip();
    const tools = ["npm", "npx", "uv", "cargo"];
    const bins = [join(project, ".venv/bin"), join(project, "node_modules/.bin"), join(folder, "bin")];
    for (const [index, bin] of bins.entries()) {
      await mkdir(bin, { recursive: true });
      for (const name of tools) {
        const script = `#!/bin/sh\n: > '${folder}/ran-${index}-${name}'\necho 1.0\n`;
        await writeFile(join(bin, name), script, { mode: 0o755 });
      }
    }
    const texts = (await findings(tools, bins.join(":"))).map(({ text }) => text);
    assert.deepEqual(
      texts,
      tools.map((name) => `1.0 at ${folder}/bin/${name}`),
    );
    const ran = (await readdir(folder)).filter((name) => name.startsWith("ran-"));
    assert.deepEqual(ran.sort(), tools.map((name) => `ran-2-${name}`).sort());
  });

  it("names each value with the file and line that it is from, and whether it counts", async () => {
    const users = join(folder, "config", "config.jsonc");
    const own = join(project, ".symposium", "config.jsonc");
    const local = join(project, ".symposium", "config.local.jsonc");
    await writeFile(users, '{\n  "agent": "eliza",\n  "mcpServers": {\n    "big": { "command": "x" }\n  }\n}');
    await writeFile(own, '{\n  "disabledServers": ["big"],\n  "mcpServers": { "docs": { "command": "y" } }\n}');
    await writeFile(local, '{\n\n  "agent": "opencode",\n  "permissionMode": "bypassPermissions"\n}');
    const remedy = `Review it, then allow it: If you trust its authors, run \`symposium-acp-agent trust ${project}\`.`;
    const values = (await findings()).map(({ check, text, remedy: given }) => [check, text, given]);
    assert.deepEqual(values, [
      ["value", `agent: ${users}:2`, undefined],
      ["value", `mcpServers.big: ${users}:4, switched off by the project`, undefined],
      ["value", `disabledServers: ${own}:2`, undefined],
      ["value", `mcpServers.docs: ${own}:3, left out: you have not allowed it`, remedy],
      ["value", `agent: ${local}:3, left out: you have not allowed it`, remedy],
      [
        "project",
        `${local}:4:3: A project can't set "permissionMode": only the user decides what agents may do without asking. Set it in your own settings.`,
        undefined,
      ],
    ]);
  });

  it("calls no value of the user's right that is warned about", async () => {
    const users = join(folder, "config", "config.jsonc");
    const text =
      '{\n  "agent": "eliza",\n  "guard": "strict",\n  "conversations": {\n    "keep": "no"\n  },\n  "agnt": "x"\n}';
    await writeFile(users, text);
    const note = "not used; see the warning about it";
    assert.deepEqual(
      (await findings()).map(({ status, text: found }) => [status, found]),
      [
        ["ok", `agent: ${users}:2`],
        ["warn", `guard: ${users}:3, ${note}`],
        ["warn", `conversations: ${users}:4, ${note}`],
        ["warn", `agnt: ${users}:7, ${note}`],
      ],
    );
  });

  it("names what agents would start by themselves", async () => {
    await writeFile(join(project, "opencode.json"), '{"mcp": {"x": {"type": "local", "command": ["evil"]}}}');
    const [found] = await findings();
    assert.match(found?.text ?? "", /^OpenCode would automatically start.*\n- .*opencode\.json: mcp\.x \{.*"evil"/);
  });
});
