import { execFile } from "node:child_process";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/** A file of a repository by which a tool runs a program that nobody looks at. */
interface HostileFile {
  /** Whose file it is. */
  readonly tool: string;
  /** By their relative path. `{mark}` is a program that leaves its mark, `{ran}` the file that it makes. */
  readonly files: Readonly<Record<string, string>>;
  /** The files of the repository that the program comes in, and that run. */
  readonly programs?: readonly string[];
  /** Command by which the tool runs the program, as proof that this row is real. */
  readonly trigger: readonly string[];
  /** Command that completes the project if the trigger needs more than `files`. */
  readonly prepare?: readonly string[];
}

const crate = { "Cargo.toml": '[package]\nname = "a"\nversion = "0.1.0"\nedition = "2021"\n', "src/lib.rs": "" };
const fsmonitor = { ".git-config": "[core]\n\tfsmonitor = {mark}\n" };

/** The one table of what hostile repositories try, a row a tool. */
export const hostileFiles: readonly HostileFile[] = [
  {
    tool: "cargo",
    files: { ...crate, ".cargo/config.toml": '[build]\nrustc-wrapper = "{mark}"\n' },
    trigger: ["cargo", "check", "--offline"],
  },
  {
    tool: "rustup",
    files: { ...crate, "rust-toolchain": "{folder}/chain\n" },
    programs: ["chain/bin/cargo", "chain/bin/rustc", "chain/bin/rust-analyzer"],
    trigger: ["cargo", "--version"],
  },
  {
    tool: "npm",
    files: { "package.json": "{}", ".npmrc": "script-shell={mark}\n" },
    programs: ["node_modules/.bin/tsc", "node_modules/.bin/npx", "node_modules/.bin/pyright-langserver"],
    trigger: ["npx", "--no", "tsc"],
  },
  { tool: "git", files: fsmonitor, prepare: ["git", "init"], trigger: ["git", "status"] },
  {
    tool: "go",
    files: { ...fsmonitor, "go.mod": "module a\n\ngo 1.20\n", "main.go": "package main\n\nfunc main() {}\n" },
    prepare: ["git", "init"],
    trigger: ["go", "build", "-buildvcs=true", "-o", "built"],
  },
  {
    tool: "maven",
    files: { "pom.xml": "<project/>", ".mvn/jvm.config": "-Xlog:gc:file={ran}\n" },
    trigger: ["mvn", "--version"],
  },
  {
    tool: "gradle",
    files: { "settings.gradle": 'new File("{ran}").text = ""\n', "build.gradle": "" },
    trigger: ["gradle", "--no-daemon", "--offline", "tasks"],
  },
  {
    tool: "python3",
    files: { "main.py": "import colorsys\n", "colorsys.py": 'open("{ran}", "w").close()\n' },
    programs: [".venv/bin/python"],
    trigger: ["python3", "main.py"],
  },
  {
    tool: "pip",
    files: { "setup.py": 'open("{ran}", "w").close()\n' },
    trigger: ["pip", "install", "--no-index", "--no-build-isolation", "."],
  },
  { tool: "uv", files: { "pyproject.toml": "" }, programs: [".venv/bin/python"], trigger: ["uv", "run", "python"] },
  {
    tool: "pnpm",
    files: { "package.json": "{}", ".pnpmfile.cjs": 'require("fs").writeFileSync("{ran}", "");\n' },
    trigger: ["pnpm", "install", "--offline"],
  },
  {
    tool: "yarn",
    files: { "package.json": "{}", ".yarnrc.yml": "yarnPath: {mark}\n" },
    trigger: ["yarn", "--version"],
  },
  {
    tool: "bun",
    files: { "bunfig.toml": 'preload = ["./mark.js"]\n', "mark.js": 'require("fs").writeFileSync("{ran}", "");\n' },
    trigger: ["bun", "-e", "0"],
  },
  { tool: "deno", files: { "deno.json": '{ "tasks": { "a": "{mark}" } }' }, trigger: ["deno", "task", "a"] },
];

/** Puts the files of a row into `folder`; what runs makes the file `ran`. */
export async function plant(
  { files, programs = [], prepare }: HostileFile,
  folder: string,
  ran: string,
): Promise<void> {
  const mark = join(dirname(ran), "mark.sh");
  const script = `#!/bin/sh\n: > '${ran}'\nexit 1\n`;
  await write(mark, script);
  await chmod(mark, 0o755);
  if (prepare) await runIn(folder, prepare);
  for (const [name, text] of Object.entries(files)) {
    const filled = text.replaceAll("{mark}", mark).replaceAll("{ran}", ran).replaceAll("{folder}", folder);
    await write(join(folder, name === ".git-config" ? ".git/config" : name), filled);
  }
  for (const program of programs) {
    await write(join(folder, program), script);
    await chmod(join(folder, program), 0o755);
  }
}

/** Runs a program in a folder to its end, however that is. */
export function runIn(folder: string, [command = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve) => execFile(command, args, { cwd: folder, timeout: 60_000 }, () => resolve()));
}

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}
