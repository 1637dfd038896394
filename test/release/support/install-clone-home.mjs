import { spawnSync } from "node:child_process";
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const script = fileURLToPath(new URL("../../../scripts/install-clone.mjs", import.meta.url));

/** Gives each test of the suite a home folder of its own, in which `npm run install-clone` runs and finds only the test's editors. */
export function useSetupHome() {
  let home;
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), "symposium-install-clone-"));
    await mkdir(join(home, "bin"));
    // Nothing else is on PATH: this machine may have editors.
    await symlink(process.execPath, join(home, "bin/node"));
  });
  afterEach(() => rm(home, { recursive: true, force: true }));
  return { place: () => home, program, editor, setup };

  /** The path of an editor that has these extensions, and appends the words of other calls to the file `calls`. */
  async function editor(command, extensions = ["someone.else", "symposium-dev.symposium"]) {
    const list = extensions.map((id) => `echo ${id}`).join("; ");
    const note = `echo "$0 $*" >> '${join(home, "calls")}'`;
    return program(command, `if [ "$1" = --list-extensions ]; then ${list}; else ${note}; fi`);
  }

  /** Puts a shell script on PATH, and returns its path. */
  async function program(name, script) {
    const file = join(home, "bin", name);
    await writeFile(file, `#!/bin/sh\n${script}\n`);
    await chmod(file, 0o755);
    return file;
  }

  function setup(...words) {
    const places = { HOME: home, XDG_CONFIG_HOME: join(home, "config"), npm_config_prefix: join(home, "global") };
    const env = { ...process.env, ...places, PATH: join(home, "bin") };
    const { status, stdout, stderr } = spawnSync("node", [script, ...words], { encoding: "utf8", env });
    return { status, lines: stdout.trim().split("\n"), stderr };
  }
}
