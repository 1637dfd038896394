import { readFile, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, posix } from "node:path";
import { SymposiumError } from "../../base/symposium-error.js";
import {
  type NpmRelease,
  type PackageRequest,
  parseNpmPackage,
  pickNpmProgram,
  pickNpmRelease,
  runsOnNode,
} from "../../registry/install-package.js";
import type { NpmPlan } from "../../registry/install-plan.js";
import type { InstallState, Launch } from "../../registry/install-state.js";
import { asObject } from "../../rpc/json.js";
import { writeCompileCache } from "./compile-cache.js";
import { installFailed, remedyFor, usable } from "./install-error.js";
import type { InstallContext } from "./install-progress.js";
import type { Built, InstallSource, InstallTools, Release } from "./install-source.js";
import { runnerOf } from "./program-runner.js";
import { runTool, toolFailed, type ToolRun } from "./run-tool.js";

/**
 * Packages of npm, by the user's own npm and its configuration, so that mirrors and sign-ins hold. Of install
 * scripts, only the package's own are allowed where npm asks (11 and later): some fetch or place their program in
 * it, while those of its dependencies are left to npm's policy.
 */
export class NpmSource implements InstallSource {
  readonly #package: PackageRequest;

  constructor(
    private readonly plan: NpmPlan,
    private readonly tools: InstallTools,
  ) {
    this.#package = usable(parseNpmPackage(plan.package));
  }

  async resolve(folder: string, { signal, onProgress }: InstallContext): Promise<Release> {
    const { name, wanted } = this.#package;
    const asked = wanted === undefined ? name : `${name}@${wanted}`;
    onProgress({ step: "resolve", text: `Asking npm for ${asked}` });
    const run = await this.#npm(["view", asked, "name", "version", "engines", "dist-tags", "--json"], folder, signal);
    const answer = parseJson(run.stdout);
    if (!run.isSuccess) throw npmFailed(`npm does not find "${asked}"`, run, answer);
    const release = pickNpmRelease(answer);
    if (release === undefined) throw installFailed(`npm does not find "${asked}"`, "no version matches");
    await this.#checkNode(release, signal);
    return { version: release.version };
  }

  async build(root: string, release: Release, _state: InstallState, context: InstallContext): Promise<Built> {
    const { name } = this.#package;
    const version = release.version ?? "";
    const asked = `${name}@${version}`;
    context.onProgress({ step: "download", text: `Installing ${asked} with npm` });
    // With a manifest of its own, the folder is a project of its own, whatever lies above it.
    await writeFile(
      join(root, "package.json"),
      `${JSON.stringify({ private: true, allowScripts: { [name]: true } })}\n`,
    );
    const options = ["--no-save", "--omit=dev", "--no-audit", "--no-fund", "--loglevel=error", "--location=project"];
    const run = await this.#npm(["install", "--prefix", root, ...options, "--json", asked], root, context.signal);
    if (!run.isSuccess) throw npmFailed(`npm cannot install "${asked}"`, run, parseJson(run.stdout));
    const launch = await this.#launch(root);
    if (launch.runner !== "node") return { version, launch };
    return { version, launch: { ...launch, preload: await writeCompileCache(root) } };
  }

  async #launch(root: string): Promise<Launch> {
    const { name } = this.#package;
    const folder = posix.join("node_modules", name);
    const manifest = parseJson(await readFile(join(root, folder, "package.json"), "utf8"));
    const file = posix.join(folder, usable(pickNpmProgram(manifest, name, this.plan.program)).replaceAll("\\", "/"));
    const runner = await runnerOf(join(root, file), "node");
    return { runner: runner === "node" ? "node" : "self", file };
  }

  /** Without this, an old Node gets an old release, or one that fails at its first line. */
  async #checkNode({ version, node }: NpmRelease, signal: AbortSignal): Promise<void> {
    const command = { command: this.tools.node, args: ["-p", "process.versions.node"], env: {} };
    const own =
      this.tools.node === process.execPath
        ? process.versions.node
        : (await runTool(this.tools.startProcess, "node", command, signal)).stdout.trim();
    if (runsOnNode(node, own)) return;
    throw new SymposiumError(
      "unsupported-engine",
      `"${this.#package.name}@${version}" needs Node.js ${node ?? ""}, and "${this.tools.node}" is ${own}.`,
      `Install a Node.js that satisfies "${node ?? ""}" (https://nodejs.org), or choose an older version yourself.`,
    );
  }

  /** Npm, and every script it runs, with our Node first. */
  #npm(args: readonly string[], cwd: string, signal: AbortSignal): Promise<ToolRun> {
    const [key = "PATH", path = ""] =
      Object.entries(this.tools.env).find(([name]) => name.toUpperCase() === "PATH") ?? [];
    const env = { [key]: `${dirname(this.tools.node)}${delimiter}${path}`, npm_config_update_notifier: "false" };
    return runTool(this.tools.startProcess, "npm", { command: "npm", args, env, cwd }, signal);
  }
}

function npmFailed(subject: string, run: ToolRun, answer: unknown): SymposiumError {
  const error = asObject(asObject(answer)?.["error"]);
  const { code, summary } = error ?? {};
  if (typeof code !== "string" || typeof summary !== "string") return toolFailed(subject, run);
  if (code === "EBADENGINE") {
    return new SymposiumError("unsupported-engine", `${subject}: ${summary}`, "Install the Node.js it asks for.");
  }
  return installFailed(subject, `${summary.trim()} (${code})`, remedyFor(`${code} ${summary}`));
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
