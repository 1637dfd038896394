import { existsSync } from "node:fs";
import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { build as bundle } from "esbuild";
import { installPackage } from "../packages/install-package.js";
import type { Installation } from "../packages/pinned-package.js";
import { pyright } from "../packages/pyright.js";
import { repositoryRoot } from "../repository.js";
import { poll } from "../until.js";
import type { VsCodeBuild } from "./vscode-build.js";
import { VsCode } from "./vscode.js";

/** All suites in one VS Code take a tenth of it on a quiet machine. */
const runLimitMs = 12 * 60_000;
const extension = join(repositoryRoot, "vscode-extension");

/** Result of one test inside the extension host. */
export interface HostTest {
  readonly title: string;
  readonly state: "passed" | "failed" | "skipped";
  readonly durationMs?: number;
  readonly error?: string;
}

/**
 * Runs the suites of `vscode-extension/test/host` whose path contains `only` inside the extension host of `build`, with the
 * bundled extension. Throws when the window ends without a report.
 */
export async function runHostSuites(build: VsCodeBuild, only = ""): Promise<readonly HostTest[]> {
  await bundleSuites();
  const report = "host-report.json";
  const python = await pythonServer(only);
  const env = { SYMPOSIUM_TEST: "1", SYMPOSIUM_HOST_SUITE: only };
  await using code = await VsCode.start({
    build,
    // In a browser the editor saves by itself after a second, which suites about unsaved words cannot wait for or outrun.
    // One suite is about Symposium's own language client, which would answer in the others too.
    settings: {
      "files.autoSave": "off",
      "symposium.languageFeatures": "off",
      // VS Code's Git extension throws, in the suites' process, when it colours a file of a folder that a test has deleted.
      "git.decorations.enabled": false,
    },
    env: (folder) => ({
      ...env,
      ...("binFolder" in python
        ? { SYMPOSIUM_TEST_PYRIGHT: join(python.binFolder, "pyright-langserver") }
        : { SYMPOSIUM_TEST_NO_PYRIGHT: python.reason }),
      SYMPOSIUM_HOST_REPORT: join(folder.root, report),
    }),
  });
  const window = await code.openWindow({
    developmentPath: extension,
    testsPath: join(extension, "test", "host", "index.cjs"),
  });
  let exitCode: number | undefined;
  void window.testsEnded.then((code) => (exitCode = code));
  await poll(
    () => exitCode,
    (code) => code !== undefined,
    runLimitMs,
  );
  const file = join(code.folder.root, report);
  if (exitCode === undefined || !existsSync(file)) {
    const output = window.hostOutput.slice(-20).join("\n");
    const picture = await window.screenshot(`host-suites-${build.version}`);
    throw new Error(`The extension host of VS Code ${build.version} left no report (${picture}):\n${output}`);
  }
  return JSON.parse(await readFile(file, "utf8")) as readonly HostTest[];
}

/** pyright, which one suite needs. */
async function pythonServer(only: string): Promise<Installation> {
  if (!"language-features/python".includes(only)) return { kind: "unavailable", reason: "no suite needs pyright" };
  return installPackage(pyright);
}

/** The extension host of older VS Codes hangs when a suite that is an ES module imports `vscode`. */
async function bundleSuites(): Promise<void> {
  const folder = join(extension, "test", "host");
  const files = await readdir(folder, { recursive: true });
  const outdir = join(extension, "dist-ts", "host");
  await rm(outdir, { recursive: true, force: true });
  await bundle({
    entryPoints: files.filter((file) => file.endsWith(".test.ts")).map((file) => join(folder, file)),
    outbase: folder,
    outdir,
    outExtension: { ".js": ".cjs" },
    bundle: true,
    packages: "external",
    external: ["vscode"],
    format: "cjs",
    platform: "node",
    target: "node22",
    sourcemap: "inline",
    tsconfigRaw: {},
    logLevel: "warning",
  });
}
