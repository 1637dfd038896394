import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  emptyState,
  type InstalledVersion,
  stateText,
  withCurrent,
} from "../../../src/agents/install/install-state.js";

/** A user's folder and a PATH, both empty before each test of the suite that makes it. */
export class InstallationsFixture {
  folder = "";

  constructor() {
    let variables: NodeJS.ProcessEnv;
    beforeEach(() => {
      this.folder = realpathSync(mkdtempSync(join(tmpdir(), "installed-")));
      const { SYMPOSIUM_CONFIG_DIR, PATH } = process.env;
      variables = { SYMPOSIUM_CONFIG_DIR, PATH };
      Object.assign(process.env, { SYMPOSIUM_CONFIG_DIR: this.folder, PATH: join(this.folder, "path") });
    });
    afterEach(() => {
      for (const [name, value] of Object.entries(variables)) {
        if (value === undefined) Reflect.deleteProperty(process.env, name);
        else process.env[name] = value;
      }
      rmSync(this.folder, { recursive: true });
    });
  }

  /** As {@link writeInstallation}, into this user's folder. */
  install(id: string, place: "bin" | "extensions" = "bin"): string {
    return writeInstallation(this.folder, id, place);
  }

  onPath(program: string): void {
    mkdirSync(join(this.folder, "path"));
    writeFileSync(join(this.folder, "path", program), "", { mode: 0o755 });
  }

  /** Writes config.jsonc. */
  configure(members: object): void {
    writeFileSync(join(this.folder, "config.jsonc"), JSON.stringify(members));
  }
}

/** Has `id` installed in the folder of a user, with a program that Node starts, and returns the program's path. */
export function writeInstallation(folder: string, id: string, place: "bin" | "extensions"): string {
  const home = join(folder, place, id);
  mkdirSync(join(home, "1.0.0"), { recursive: true });
  const program = join(home, "1.0.0", "main.js");
  writeFileSync(program, "");
  const launch = { runner: "node", file: "main.js" } as const;
  const version: InstalledVersion = { version: "1.0.0", folder: "1.0.0", source: id, launch, args: ["a"], env: {} };
  writeFileSync(join(home, "current.json"), stateText(withCurrent(emptyState, version)));
  return program;
}
